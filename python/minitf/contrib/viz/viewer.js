// Shows the states of a graph's picture, which Python has laid out (graph.py): opens and
// closes scopes, pans and zooms. Without this script the first state stands there as SVG.
//
// data.boxes[id]    label, second line, colour, info; in a scope also `around`, its scope
// data.states[id]   size; boxes and frames of open scopes [id, x, y, width, height];
//                   edges [from, to, kind, label, x, y, path, arrowhead]
(() => {
  const READABLE = 0.8; // the scale below which letters are too small

  function make(parent, tag, attributes, text = "") {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const name in attributes) node.setAttribute(name, attributes[name]);
    if (text) node.textContent = text;
    parent.append(node);
    return node;
  }

  class Viewer {
    pointers = new Map(); // those that are down, by id: where
    actions = {
      "+": () => this.zoom(1.25),
      "-": () => this.zoom(0.8),
      0: () => this.fit(true),
      ArrowLeft: () => this.move(60, 0),
      ArrowRight: () => this.move(-60, 0),
      ArrowUp: () => this.move(0, 60),
      ArrowDown: () => this.move(0, -60),
      Escape: () => this.toggle(this.drawn[this.state]?.group),
      Enter: (box) => this.toggle(box),
      " ": (box) => this.toggle(box),
    };

    constructor(root, data) {
      this.data = data;
      this.stage = root.querySelector(".stage");
      this.info = root.querySelector(".info");
      const svg = this.stage.querySelector("svg");
      svg.setAttribute("role", "group");
      svg.removeAttribute("viewBox");
      this.view = svg.querySelector("g");
      this.stage.classList.add("ready");
      for (const button of root.querySelectorAll(".bar button"))
        button.onclick = () => this.actions[button.dataset.key]();
      this.show(data.first);
      this.listen();
      new ResizeObserver(() => this.fit(false)).observe(this.stage);
    }

    // Draws the state in which a scope is open; in -1 all are closed.
    show(id) {
      const state = this.data.states[id];
      this.state = id;
      this.drawn = {};
      this.view.replaceChildren();
      for (const [scope, ...place] of state.frames) this.draw(scope, true, place);
      this.edges = make(this.view, "g", {});
      for (const [from, to, kind, label, x, y, path, head] of state.edges) {
        const edge = make(this.edges, "g", { "data-from": from, "data-to": to });
        make(edge, "path", { d: path + this.data.heads[head], class: kind });
        if (label) make(edge, "text", { x, y: y + 3, class: "small middle" }, label);
      }
      for (const [box, ...place] of state.boxes) this.draw(box, false, place);
      this.fit(false);
    }

    // Draws a closed box, or the frame of an open scope.
    draw(id, isOpen, [x, y, width, height]) {
      const { label, second, colour, info, around } = this.data.boxes[id];
      const opens = id in this.data.states;
      const kind = around === undefined ? "box" : isOpen ? "scope frame" : "scope box";
      const group = make(this.view, "g", {
        class: `${kind} k${colour}`,
        tabindex: 0,
        role: opens ? "button" : "img",
        "data-box": id,
        "aria-label": info.split("\n").slice(0, 2).join(", "),
        ...(opens && { "aria-expanded": isOpen }),
      });
      make(group, "rect", { x, y, width, height, rx: around === undefined ? 10 : 3 });
      if (isOpen) {
        make(group, "text", { x: x + 8, y: y + 15 }, label.replace("▸", "▾"));
      } else {
        const middle = x + width / 2;
        make(group, "text", { x: middle, y: y + 14, class: "middle" }, label);
        make(group, "text", { x: middle, y: y + 27, class: "small middle" }, second);
      }
      group.onpointerenter = () => this.tell(id);
      group.onblur = group.onpointerleave = () => this.tell(null);
      group.onfocus = () => {
        this.tell(id);
        if (group.matches(":focus-visible")) this.reveal(group);
      };
      this.drawn[id] = { group, isOpen, place: [x, y, width, height] };
    }

    // Shows what is known of a box, and stresses its edges; null ends that.
    tell(id) {
      if (id !== null) this.info.textContent = this.data.boxes[id].info;
      const isPlain = id === null || this.drawn[id].isOpen;
      for (const edge of this.edges.children) {
        const isNear = [edge.dataset.from, edge.dataset.to].includes(`${id}`);
        edge.setAttribute("class", isPlain ? "" : isNear ? "near" : "far");
      }
    }

    toggle(group) {
      const id = group?.dataset.box;
      if (!(id in this.data.states)) return;
      this.show(this.drawn[id].isOpen ? this.data.boxes[id].around : id);
      this.drawn[id].group.focus({ preventScroll: true });
    }

    // Shows the whole state; or, if letters got too small, the open scope or the top.
    fit(all) {
      const { clientWidth, clientHeight } = this.stage;
      let [x, y, [width, height]] = [0, 0, this.data.states[this.state].size];
      const scaleOf = () =>
        Math.min(1, clientWidth / (width + 20), clientHeight / (height + 20));
      let scale = scaleOf();
      if (!all && scale < READABLE) {
        [x, y, width, height] = this.drawn[this.state]?.place ?? [0, 0, width, 0];
        scale = Math.max(READABLE, scaleOf());
      }
      // The middle of what fits, the upper left corner of what does not.
      const left = Math.max(height ? 10 : -width, (clientWidth - scale * width) / 2);
      const above = Math.max(10, height && (clientHeight - scale * height) / 2);
      this.at = [scale, 0, 0];
      this.move(left - scale * x, above - scale * y);
    }

    // Moves a box that a key has reached into sight.
    reveal(group) {
      const [box, stage] = [group, this.stage].map((e) => e.getBoundingClientRect());
      const isWithin = (low, high) => box[low] >= stage[low] && box[high] <= stage[high];
      if (isWithin("left", "right") && isWithin("top", "bottom")) return;
      this.move(stage.left + 10 - box.left, stage.top + 10 - box.top);
    }

    move(dx, dy) {
      const [scale, x, y] = this.at;
      this.at = [scale, x + dx, y + dy];
      const places = `translate(${x + dx} ${y + dy}) scale(${scale})`;
      this.view.setAttribute("transform", places);
    }

    // Zooms about a point of the window, or the middle of the stage.
    zoom(factor, at) {
      const { left, top, width, height } = this.stage.getBoundingClientRect();
      const [x, y] = at ? [at[0] - left, at[1] - top] : [width / 2, height / 2];
      const scale = Math.min(4, Math.max(0.05, this.at[0] * factor));
      const ratio = scale / this.at[0];
      this.at[0] = scale;
      this.move((x - this.at[1]) * (1 - ratio), (y - this.at[2]) * (1 - ratio));
    }

    listen() {
      this.stage.onwheel = (event) => {
        event.preventDefault();
        this.zoom(event.deltaY < 0 ? 1.1 : 1 / 1.1, [event.clientX, event.clientY]);
      };
      this.stage.onpointerdown = ({ pointerId, clientX, clientY }) => {
        if (this.pointers.size === 0) this.moved = 0;
        this.pointers.set(pointerId, [clientX, clientY]);
      };
      addEventListener("pointermove", (event) => this.drag(event));
      addEventListener("pointerup", (event) => this.pointers.delete(event.pointerId));
      addEventListener("pointercancel", (event) => this.pointers.delete(event.pointerId));
      this.stage.onclick = (event) => {
        if (this.moved < 6) this.toggle(event.target.closest("[data-box]"));
      };
      this.stage.onkeydown = (event) => {
        if (!(event.key in this.actions) || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        this.actions[event.key](event.target.closest("[data-box]"));
      };
    }

    // One finger or the mouse moves the view; two fingers zoom as well.
    drag({ pointerId, clientX, clientY }) {
      const before = this.pointers.get(pointerId);
      if (!before) return;
      const now = [clientX, clientY];
      const [dx, dy] = [clientX - before[0], clientY - before[1]];
      this.moved += Math.hypot(dx, dy);
      this.pointers.set(pointerId, now);
      const other = [...this.pointers].find(([id]) => id !== pointerId)?.[1];
      if (!other) return this.move(dx, dy);
      const apart = ([x, y]) => Math.hypot(x - other[0], y - other[1]);
      this.zoom(apart(now) / Math.max(1, apart(before)), other);
    }
  }

  for (const root of document.querySelectorAll(".minitf-viz.graph:not([data-ready])")) {
    root.dataset.ready = "";
    const bytes = Uint8Array.from(atob(root.dataset.picture), (c) => c.charCodeAt(0));
    const packed = new Blob([bytes]).stream();
    const unpacked = packed.pipeThrough(new DecompressionStream("deflate"));
    new Response(unpacked).json().then((data) => new Viewer(root, data));
  }
})();
