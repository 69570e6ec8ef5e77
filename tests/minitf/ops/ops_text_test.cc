// The text of all ops: docs/ops.pbtxt is the one that the definitions give.
//
// After a change of a definition, `./lab gen` writes the file anew.

#include <fstream>
#include <sstream>

#include "gtest/gtest.h"
#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"
#include "tests/test_ops.h"

namespace minitf {
namespace {

const char* const kFile = MINITF_SOURCE_DIR "/docs/ops.pbtxt";

// With all families it has no other (tests/contrib/families_test.cc).
TEST(OpsText, HasEveryOpInOrder) {
  std::ifstream file(kFile);
  std::ostringstream text;
  text << file.rdbuf();
  size_t place = 0;
  for (const std::string& name : Ops().Keys()) {
    if (testing::BelongsToATest(name)) continue;
    place = text.str().find(OpDefText(FindOp(name)), place);
    ASSERT_NE(place, std::string::npos)
        << name << ": docs/ops.pbtxt is out of date: run ./lab gen";
  }
}

TEST(OpsText, HasTheFieldsOfAnOpDef) {
  const OpDef op = OpDefBuilder("Pool")
                       .Input("x: T")
                       .Input("sizes: int32")
                       .Output("y: N * T")
                       .Attr("N: int >= 1")
                       .Attr("T: {half, float} = float")
                       .Attr("strides: list(int) = [1, 2]")
                       .SetShapeFn(UnknownShape)
                       .SetIsStateful()
                       .Doc("A \"pool\".")
                       .Build();
  EXPECT_EQ(OpDefText(op), R"text(op {
  name: "Pool"
  input_arg {
    name: "x"
    type_attr: "T"
  }
  input_arg {
    name: "sizes"
    type: DT_INT32
  }
  output_arg {
    name: "y"
    type_attr: "T"
    number_attr: "N"
  }
  attr {
    name: "N"
    type: "int"
    has_minimum: true
    minimum: 1
  }
  attr {
    name: "T"
    type: "type"
    default_value { type: DT_FLOAT }
    allowed_values { list { type: DT_HALF type: DT_FLOAT } }
  }
  attr {
    name: "strides"
    type: "list(int)"
    default_value { list { i: 1 i: 2 } }
  }
  summary: "A \"pool\"."
  is_stateful: true
}
)text");
}

}  // namespace
}  // namespace minitf
