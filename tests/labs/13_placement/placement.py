"""Where the nodes of a step go, found group by group, without minitf."""

from lab_13_placement.trials import (
    HOST_ONLY,
    SHAPES_ONLY,
    Device,
    Edge,
    Node,
    Parts,
    agree,
    covers,
    merged,
    num_outputs,
    parts_of,
    run_set,
    text_of,
)


class Placement:
    """Where the nodes of a step go, found group by group.

    Attributes:
        devices: The device of each node, by its name in the step.
        errors: If there is an error, words that it must have, by the name of the node
            that it is about.
    """

    def __init__(
        self, nodes: list[Node], request: dict, devices: list[Device], soft: bool
    ) -> None:
        self._nodes, self._all, self._soft = nodes, devices, soft
        self._running = run_set(nodes, request)
        feeds = [tuple(edge) for edge in request.get("feeds", [])]
        self._fed = set(feeds)
        self._fetched = {tuple(edge) for edge in request.get("fetches", [])} - self._fed
        self.errors: dict[str, list[str]] = {}
        self._group = {n: n for n in self._running}
        self._wanted: dict[int, Parts] = {}
        for n in self._running:
            parts = parts_of(nodes[n].get("device", ""))
            if parts is None:
                name = nodes[n]["name"]
                self.errors[name] = [name, nodes[n]["device"], "Malformed"]
                return
            self._wanted[n] = parts
        self._makers = {
            n for n in self._running if nodes[n]["op"] in ("VarHandleOp", "FIFOQueueV2")
        }
        self._join()
        if self.errors:
            return
        self._place: dict[int, str] = {}
        self._choose()
        if self.errors:
            return
        host = devices[0][0]
        self.devices = {
            nodes[n]["name"]: self._place[self._root(n)] for n in self._running
        }
        for n, i in feeds:
            self.devices[f"feed/{nodes[n]['name']}_{i}"] = host
        self._host = host

    def _root(self, n: int) -> int:
        while self._group[n] != n:
            n = self._group[n]
        return n

    def _members(self, root: int) -> list[int]:
        return [n for n in self._running if self._root(n) == root]

    def _merge(self, a: int, b: int) -> None:
        first, second = self._root(a), self._root(b)
        if first == second or self.errors:
            return
        both = merged(self._wanted[first], self._wanted[second], self._soft)
        if isinstance(both, str):
            one, other = self._nodes[a]["name"], self._nodes[b]["name"]
            words = ["Cannot colocate nodes", f"'{one}'", f"'{other}'", both]
            self.errors.setdefault(other, words)
            return
        self._group[second] = first
        self._wanted[first] = both
        if second in self._makers:
            self._makers.add(first)

    def _join(self) -> None:
        numbers = {self._nodes[n]["name"]: n for n in self._running}
        first: dict[str, int] = {}
        for n in self._running:
            for text in self._nodes[n].get("attrs", {}).get("_class", []):
                if not text.startswith("loc:@"):
                    continue
                name = text.removeprefix("loc:@")
                self._merge(first.setdefault(name, numbers.get(name, n)), n)
        for n in self._running:
            for m, i in self._nodes[n]["inputs"]:
                if self._nodes[m]["op"] not in ("VarHandleOp",) or (m, i) in self._fed:
                    continue
                makers, takers = self._root(m), self._root(n)
                if makers == takers:
                    continue
                fits = all(agree(self._wanted[takers], self._wanted[makers]))
                if takers in self._makers or fits:
                    self._merge(m, n)
                else:  # the maker decides
                    self._group[takers] = makers

    def _can_run(self, n: int, device: Device) -> bool:
        one = self._nodes[n]
        is_string = one.get("attrs", {}).get("dtype") == "string"
        return device[1] == "CPU" or not (is_string or one["op"] in HOST_ONLY)

    def _fitting(self, members: list[int], wanted: Parts) -> str | None:
        order = sorted(self._all, key=lambda device: -device[2])
        for device in order:
            if covers(wanted, parts_of(device[0])) and all(
                self._can_run(n, device) for n in members
            ):
                return device[0]
        return None

    def _device_for(self, root: int) -> str | None:
        members, wanted = self._members(root), self._wanted[root]
        found = self._fitting(members, wanted)
        if found is None and self._soft:
            found = self._fitting(members, (*wanted[:3], None, None))
        if found is None:
            askers = [n for n in members if self._nodes[n].get("device")]
            for n in askers or members:
                self.errors[self._nodes[n]["name"]] = self._no_device(n, members, wanted)
        return found

    def _no_device(self, n: int, members: list[int], wanted: Parts) -> list[str]:
        """What the error must say that is about this node of a group."""
        one = self._nodes[n]
        asked = one.get("device", "") if len(members) == 1 else text_of(wanted)
        text = f"Cannot assign a device for operation {one['name']}: "
        if any(covers(wanted, parts_of(device[0])) for device in self._all):
            text += f"Could not satisfy explicit device specification '{asked}' because "
            text += f"no supported kernel for {wanted[3] or 'any one of the'} devices is "
            text += "available."
        else:
            origin = f" (defined at {one['origin']})" if one.get("origin") else ""
            names = ", ".join(device[0] for device in self._all)
            text += f"node {one['name']}{origin} was explicitly assigned to {asked} but "
            text += f"available devices are [ {names} ]. Make sure the device "
            text += "specification refers to a valid device."
        if len(members) == 1:
            return [text]
        others = [self._nodes[m] for m in members]
        return [text, *(f"\n  {other['name']} ({other['op']})" for other in others)]

    def _choose(self) -> None:
        open_nodes = []
        roots = list(dict.fromkeys(self._root(n) for n in self._running))
        for root in roots:
            one = self._nodes[root]
            members = self._members(root)
            is_open = (
                len(members) == 1
                and self._wanted[root][3:] == (None, None)
                and (not self._data(root) or one["op"] in SHAPES_ONLY)
                and root not in self._makers
            )
            if is_open:
                open_nodes.append(root)
            else:
                self._place[root] = self._device_for(root)
        if self.errors:  # of several groups any may be the first
            return
        for n in open_nodes:
            near = self._near(n)
            device = next((one for one in self._all if one[0] == near), None)
            fits = near and covers(self._wanted[n], parts_of(near))
            if fits and device and self._can_run(n, device):
                self._place[n] = near
            elif not self.errors:
                self._place[n] = self._device_for(n)

    def _data(self, n: int) -> list[Edge]:
        return self._nodes[n]["inputs"]

    def _near(self, n: int) -> str | None:
        inputs = self._data(n)
        if self._nodes[n]["op"] in SHAPES_ONLY and inputs:
            m, i = inputs[0]
            if (m, i) in self._fed:
                return self._all[0][0]
            return self._place.get(self._root(m))
        if inputs or num_outputs(self._nodes[n]) != 1:
            return None
        users = [m for m in self._running if (n, 0) in [tuple(e) for e in self._data(m)]]
        places = [self._place.get(self._root(m)) for m in users]
        places += [self._all[0][0]] * ((n, 0) in self._fetched)
        return places[0] if places and len(set(places)) == 1 else None
