// Ops that save and restore variables: definitions alone, so that graphs with them load.
//
// minitf has no checkpoints. These ops have no kernel, and a step that needs one of them
// fails with their names. A graph without such a step runs as it is.
//
// Compare    tensorflow/core/ops/io_ops.cc
// Read next  minitf/contrib/legacy/reference_ops.h

#include "minitf/framework/gradient.h"
#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

REGISTER_OP("SaveV2")
    .Input("prefix: string")
    .Input("tensor_names: string")
    .Input("shape_and_slices: string")
    .Input("tensors: dtypes")
    .Attr("dtypes: list(type)")
    .SetIsStateful()
    .SetIsHostOnly()
    .SetShapeFn(NoOutputs)
    .Doc("Saves tensors to the checkpoint `prefix`. Has no kernel yet.");

REGISTER_OP("RestoreV2")
    .Input("prefix: string")
    .Input("tensor_names: string")
    .Input("shape_and_slices: string")
    .Output("tensors: dtypes")
    .Attr("dtypes: list(type)")
    .SetIsStateful()
    .SetIsHostOnly()
    .SetShapeFn(UnknownShape)
    .Doc("Restores tensors from the checkpoint `prefix`. Has no kernel yet.");

REGISTER_OP("MergeV2Checkpoints")
    .Input("checkpoint_prefixes: string")
    .Input("destination_prefix: string")
    .Attr("delete_old_dirs: bool = true")
    .SetIsStateful()
    .SetIsHostOnly()
    .SetShapeFn(NoOutputs)
    .Doc("Merges the files of several checkpoints. Has no kernel yet.");

REGISTER_OP("ShardedFilename")
    .Input("basename: string")
    .Input("shard: int32")
    .Input("num_shards: int32")
    .Output("filename: string")
    .SetIsHostOnly()
    .SetShapeFn(ScalarShape)
    .Doc("The name of one of several files of a checkpoint. Has no kernel yet.");

const NotDifferentiable kCheckpointsWithoutGradient("MergeV2Checkpoints", "RestoreV2",
                                                    "SaveV2", "ShardedFilename");

}  // namespace
}  // namespace minitf
