"""``tf.load_op_library``: libraries that are loaded again, and ops with mistakes.

Each program runs in a process of its own, as a library stays loaded.
"""

import json
import shutil
import subprocess

import pytest
from runners import told_by
from source_copy import compile_files

INPUTS = (-(2**31), -1, 2, 5, 2**31 - 1)  # the op has two
OUTPUTS = (-(2**31), -1, 1, 5, 2**31 - 1)  # and one
# The mistake of the op, and the message for an index.
INPUT, OUTPUT = "input {} does not exist; number of inputs: 2", "output {} does not exist"
MISTAKES = {
    "input": INPUT,
    "host_input": INPUT,
    "input_resource": INPUT,
    "forward from": INPUT,
    "output_type": OUTPUT,
    "output": OUTPUT,
    "set_output": OUTPUT,
    "allocate_output": OUTPUT,
    "forward to": OUTPUT,
    "construction: input_type": INPUT,
    "construction: output_type": OUTPUT,
    "shape: input": INPUT,
    "shape: input_type": INPUT,
    "shape: InputAsShape": INPUT,
    "shape: WithRank": INPUT,
    "shape: set_output": "the shape function sets output {}, which does not exist",
    "gradient: inputs": INPUT,
    "gradient: outputs": OUTPUT,
    "gradient: dy": OUTPUT,
}
OTHERS = {
    "construction: attr": "index",
    "construction: no attr": "size",
    "shape: attr": "index",
    "gradient: attr": "index",
    "gradient: call": "output 0 does not exist; number of outputs: 0",
    "gradient: too few": "1",
}

CODE = r"""
// An op whose kernel, shape function or gradient asks for what is not there.

#include <string>

#include "minitf/framework/gradient.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

void UnrulyShape(InferenceContext* ctx) {
  const auto& what = ctx->attr<std::string>("what");
  const auto i = static_cast<int>(ctx->attr<int64_t>("index"));
  ctx->set_output(0, Shape{2});
  if (what == "shape: input") ctx->set_output(0, ctx->input(i));
  if (what == "shape: input_type") ctx->input_type(i);
  if (what == "shape: input_value") ctx->input_value(i);
  if (what == "shape: InputAsShape") ctx->InputAsShape(i);
  if (what == "shape: WithRank") ctx->WithRank(i, 1, "x");
  if (what == "shape: set_output") ctx->set_output(i, Shape{});
  if (what == "shape: attr") ctx->attr<float>("index");
}

REGISTER_OP("Unruly")
    .Input("x: float")
    .Input("y: float")
    .Output("z: float")
    .Attr("what: string = ''")
    .Attr("index: int = 0")
    .SetShapeFn(UnrulyShape)
    .Doc("Asks for input or output `index` in the way that `what` says.");

class UnrulyOp final : public OpKernel {
 public:
  explicit UnrulyOp(OpKernelConstruction* c)
      : OpKernel(c), what_(c->attrs().Get<std::string>("what")) {
    int64_t index = 0;
    OP_REQUIRES_OK(c, c->GetAttr("index", &index));
    i_ = static_cast<int>(index);
    if (what_ == "construction: input_type") c->input_type(i_);
    if (what_ == "construction: output_type") c->output_type(i_);
    float wrong = 0;
    if (what_ == "construction: attr") OP_REQUIRES_OK(c, c->GetAttr("index", &wrong));
    if (what_ == "construction: no attr") OP_REQUIRES_OK(c, c->GetAttr("size", &wrong));
  }

  void Compute(OpKernelContext* ctx) override {
    Tensor* z = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {2}, &z));
    z->mutable_flat<float>()[0] = z->mutable_flat<float>()[1] = 1;
    if (what_ == "input") ctx->set_output(0, ctx->input(i_));
    if (what_ == "host_input") ctx->set_output(0, ctx->host_input(i_));
    if (what_ == "input_resource") ctx->input_resource<Variable>(i_);
    if (what_ == "output_type") ctx->output_type(i_);
    if (what_ == "output") ctx->output(i_)->Reset();
    if (what_ == "set_output") ctx->set_output(i_, Tensor::Scalar(1.0F));
    if (what_ == "allocate_output") {
      OP_REQUIRES_OK(ctx, ctx->allocate_output(i_, {2}, &z));
    }
    if (what_ == "forward from") {
      OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output({i_}, 0, {2}, &z));
    }
    if (what_ == "forward to") {
      OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output({0}, i_, {2}, &z));
    }
  }

 private:
  const std::string what_;
  int i_ = 0;
};
REGISTER_KERNEL(Kernel("Unruly").On(Device::kCpu).HostMemory("x", "y"), UnrulyOp);

std::vector<Value> UnrulyGrad(const GradientContext& ctx) {
  const auto& what = ctx.attr<std::string>("what");
  const auto i = static_cast<size_t>(ctx.attr<int64_t>("index"));
  if (what == "gradient: inputs") return {ctx.inputs[i], Value::None()};
  if (what == "gradient: outputs") return {ctx.outputs[i], Value::None()};
  if (what == "gradient: dy") return {ctx.dy[i], Value::None()};
  if (what == "gradient: attr") ctx.attr<float>("index");
  if (what == "gradient: call") return {ctx.Call("NoOp", {}), Value::None()};
  if (what == "gradient: too few") return {ctx.dy[0]};
  return {ctx.dy[0], Value::None()};
}
REGISTER_GRADIENT("Unruly", UnrulyGrad);

}  // namespace
}  // namespace minitf
"""

CALLS = """
unruly = tf.load_op_library(sys.argv[1]).unruly

def in_graph(attrs):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder_with_default([1.0, 2.0], [2])
        z = unruly(x, x, **attrs)
        session.run([z, *tf.gradients(z, [x])])

def eagerly(attrs):
    tf.enable_eager_execution()
    try:
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = unruly(x, x, **attrs)
        tape.gradient(z, x)
    finally:
        tf.disable_eager_execution()

calls = json.loads(sys.argv[2])
tell([[error(lambda: run(attrs)) for run in (in_graph, eagerly)] for attrs in calls])
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unruly")
    (folder / "unruly_op.cc").write_text(CODE)
    return compile_files(folder, ["unruly_op.cc"], "unruly.so", "-shared", "-fPIC")


def test_an_index_that_is_out_of_range_is_an_error(library):
    calls = [
        {"what": what, "index": index}
        for what, message in MISTAKES.items()
        for index in (INPUTS if message is INPUT else OUTPUTS)
    ]
    for call, errors in zip(
        calls, told_by(CALLS, library, json.dumps(calls)), strict=True
    ):
        message = MISTAKES[call["what"]].format(call["index"])
        names_op = not call["what"].startswith("gradient")
        for error in errors:
            assert message in error, call
            assert not names_op or "Unruly" in error, call


def test_other_mistakes_of_an_op_are_errors(library):
    calls = [{"what": what} for what in OTHERS] + [{}]
    errors = told_by(CALLS, library, json.dumps(calls))
    for message, both in zip(OTHERS.values(), errors, strict=False):
        for error in both:
            assert message in error
            assert error.startswith(("InvalidArgumentError: ", "ValueError: ")), error
    assert errors[-1] == ["no error", "no error"]


def test_a_library_that_is_loaded_again_returns_the_same_functions(library):
    program = """
path = Path(sys.argv[1])
os.chdir(path.parent)
os.symlink(path, "link.so")
os.link(path, "second_name.so")
names = [str(path), path, "./unruly.so", f"../{path.parent.name}//unruly.so", "./link.so",
         "./second_name.so"]
libraries = [tf.load_op_library(name) for name in names]
tell([vars(one) == vars(libraries[0]) for one in libraries] + libraries[0].OP_LIST)
"""
    assert told_by(program, library) == [True] * 6 + ["Unruly"]


def test_a_library_that_others_have_loaded_returns_its_functions(library, tmp_path):
    program = """
ctypes.CDLL(sys.argv[1])
first = tf.load_op_library(sys.argv[2])
tell([first.OP_LIST, tf.load_op_library(sys.argv[1]).OP_LIST,
      tf.load_op_library(sys.argv[2]).OP_LIST])
"""
    (tmp_path / "more.cc").write_text(
        '#include "minitf/framework/shape_inference.h"\n'
        'REGISTER_OP("MoreOfIt").SetShapeFn(minitf::NoOutputs).Doc("Does nothing.");\n'
    )
    more = ["-shared", "-fPIC", "-Wl,--no-as-needed", str(library)]
    more = compile_files(tmp_path, ["more.cc"], "more.so", *more)
    assert told_by(program, library, more) == [["MoreOfIt"], ["Unruly"], ["MoreOfIt"]]
    program = "tell([tf.load_op_library(path).OP_LIST for path in sys.argv[1:]])"
    both = ["MoreOfIt", "Unruly"]
    assert told_by(program, more, library, more) == [both, ["Unruly"], both]


def test_a_copy_of_a_library_is_an_error_each_time(library, tmp_path):
    # After it other threads must still be able to load libraries: no lock is held.
    program = """
tf.load_op_library(sys.argv[1])
errors = [error(lambda: tf.load_op_library(sys.argv[2])) for _ in range(2)]
thread = threading.Thread(target=ctypes.CDLL, args=[sys.argv[3]], daemon=True)
thread.start()
thread.join(20)
tell([*errors, thread.is_alive(), tf.load_op_library(sys.argv[1]).OP_LIST])
"""
    copy, other = tmp_path / "copy.so", tmp_path / "other.so"
    shutil.copy(library, copy)
    (tmp_path / "other.c").write_text("int nothing;\n")
    command = ["gcc", "-shared", "-o", str(other), str(tmp_path / "other.c")]
    subprocess.run(command, check=True)
    error = f"AlreadyExistsError: cannot load '{copy}': op 'Unruly' is registered twice"
    assert told_by(program, library, copy, other) == [error, error, False, ["Unruly"]]


@pytest.mark.parametrize(
    "contents", [None, b"", b"not a library", b"\x7fELF" + bytes(60)]
)
def test_what_is_no_library_is_an_error(contents, tmp_path):
    path = tmp_path / "no.so"
    if contents is not None:
        path.write_bytes(contents)
    program = "tell(error(lambda: tf.load_op_library(sys.argv[1])))"
    assert told_by(program, path).startswith(f"NotFoundError: cannot load '{path}': ")
