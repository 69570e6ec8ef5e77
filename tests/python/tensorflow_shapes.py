"""Static shapes as TensorFlow infers them: expressions, and what comes of each.

The table beside this file says what TensorFlow knows of a result while a graph is built,
for inputs whose shapes are known, known in part, and unknown; test_static_shapes.py reads
it. To make it again, run this file with a Python that has TensorFlow 2::

    .lab/peers/bin/python tests/python/tensorflow_shapes.py

In an expression ``f(2, None)`` is a placeholder of floats, ``i(...)`` one of integers
and ``b(...)`` one of truth values; ``f(...)`` with an Ellipsis has no known rank. ``$``
stands for the arguments of each shape in turn, ``%`` for those of a second input.
"""

from itertools import product
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parent / "tensorflow_shapes.txt"

SHAPES = (
    "", "4", "None", "0", "4, 6", "None, 6", "4, None", "0, 3", "2, 3, 4",
    "None, 3, None", "2, 5, 6, 4", "2, None, None, 4", "...",
)  # fmt: skip
PAIRED = ("", "4", "0", "4, 6", "None, 6", "None, None", "2, 3, 4", "...")
IMAGES = (
    "2, 5, 6, 4",
    "None, 5, 6, None",
    "2, None, None, 4",
    "0, 5, 6, 4",
    "2, 5",
    "...",
)
FILTERS = ("3, 3, 4, 8", "3, 3, None, 8", "None, None, None, None", "3, 3, 2, 8", "3, 3")

ONE = """
tf.reduce_sum(f($)) tf.reduce_sum(f($),0) tf.reduce_sum(f($),[-1],keepdims=True)
tf.reduce_sum(f($),i(2)) tf.reduce_sum(f($),i(),keepdims=True) tf.argmax(f($),-1)
tf.argmax(f($),i()) tf.cumsum(f($),1) tf.expand_dims(f($),-1) tf.expand_dims(f($),i())
tf.squeeze(f($)) tf.squeeze(f($),[0]) tf.reshape(f($),[-1]) tf.reshape(f($),[2,-1])
tf.reshape(f($),[3,2]) tf.reshape(f($),[24]) tf.reshape(f($),i(None))
tf.reshape(f($),[i(),-1]) tf.transpose(f($)) tf.transpose(f($),[1,0])
tf.transpose(f($),i(2)) tf.tile(f($),[2,3]) tf.tile(f($),i(None)) tf.tile(f($),[2,i()])
tf.pad(f($),[[1,2],[0,3]]) tf.pad(f($),i(None,2))
tf.pad(f($),[[i(),2],[0,3]]) tf.reverse(f($),[0])
tf.reverse(f($),i(1)) tf.raw_ops.Reverse(tensor=f($),dims=b(2))
tf.slice(f($),[0,1],[2,-1])
tf.slice(f($),i(2),[2,3]) tf.slice(f($),[0,0],i(None)) tf.slice(f($),i(None),i(None))
f($)[0] f($)[-1] f($)[1:3] f($)[::2] f($)[::-1] f($)[:,1] f($)[...,0] f($)[...,None]
f($)[i()] f($)[:i()] f($)[:,:-1] tf.split(f($),2) tf.split(f($),2,-1) tf.split(f($),3,i())
tf.split(f($),[1,-1]) tf.unstack(f($),4) tf.unstack(f($),6,1) tf.shape(f($)) tf.size(f($))
tf.rank(f($)) tf.diag(f($)) tf.diag_part(f($)) tf.matrix_diag(f($))
tf.matrix_inverse(f($)) tf.matrix_determinant(f($)) tf.one_hot(i($),5)
tf.one_hot(i($),i(),axis=0) tf.where(b($)) tf.nn.top_k(f($),2)[0] tf.unique(f($))[0]
tf.bitcast(f($),tf.int8) tf.bitcast(f($),tf.complex64) tf.nn.lrn(f($))
tf.space_to_batch_nd(f($),[2],[[1,1]]) tf.space_to_batch_nd(f($),[2],i(1,2))
tf.batch_to_space_nd(f($),[2],[[0,1]]) tf.zeros_like(f($)) tf.zeros(tf.shape(f($)))
tf.zeros(tf.shape(f($))[1:]) tf.nn.l2_loss(f($)) tf.random_shuffle(f($))
tf.gather(f($),i(3)) tf.gather(f($),i(None,2),axis=1) tf.gather(f($),i(...),axis=1)
tf.gather(f($),i(3),axis=i()) tf.gather_nd(f($),i(3,2)) tf.gather_nd(f($),i(3,None))
tf.raw_ops.Sum(input=f($),axis=i(1,1)) tf.raw_ops.Any(input=b($),axis=i(0,2))
tf.raw_ops.BatchToSpaceND(input=f($),block_shape=i(...),crops=i(...))
tf.raw_ops.SpaceToBatchND(input=f($),block_shape=i(None),paddings=i(...))
tf.raw_ops.BiasAddGrad(out_backprop=f($),data_format='NCHW')
tf.raw_ops.SplitV(value=f($),size_splits=i(2),axis=i(),num_split=2)
tf.one_hot(i($),5,axis=-2) tf.repeat(f($),0)
tf.raw_ops.LRNGrad(input_grads=f($),input_image=f(...),output_image=f(...))
tf.sparse_segment_sum(f($),i(...),[0,0,1]) tf.sparse_segment_sum(f($),i(...),i(...))
tf.sparse_segment_mean(f($),i(None),[0,0],num_segments=3)
"""
TWO = """
tf.add(f($),f(%)) tf.matmul(f($),f(%)) tf.matmul(f($),f(%),transpose_b=True)
tf.raw_ops.BatchMatMul(x=f($),y=f(%)) tf.where(b($),f(%),f(%))
tf.where_v2(b($),f(%),f(None,6)) tf.add_n([f($),f(%)]) tf.stack([f($),f(%)],-1)
tf.concat([f($),f(%)],0) tf.concat([f($),f(%)],-1) tf.concat([f($),f(%)],i())
tf.nn.bias_add(f($),f(%)) tf.raw_ops.ReluGrad(gradients=f($),features=f(%))
tf.segment_sum(f($),i(%)) tf.unsorted_segment_sum(f($),i(%),7)
tf.unsorted_segment_sum(f($),i(%),i()) tf.dynamic_partition(f($),i(%),2)
tf.dynamic_stitch([i($)],[f(%)]) tf.matrix_set_diag(f($),f(%))
tf.placeholder_with_default(f($),[%]) tf.reverse_sequence(f($),i(%),1)
tf.broadcast_to(f($),tf.shape(f(%))) tf.cond(b(),lambda:f($),lambda:f(%))
tf.zeros(tf.concat([tf.shape(f($)),tf.shape(f(%))],0))
tf.raw_ops.InTopKV2(predictions=f($),targets=i(%),k=2) tf.nn.bias_add(f($),f(%),'NCHW')
tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=f($),labels=f(%))
"""
IMAGE = """
tf.nn.max_pool(f($),[1,2,2,1],[1,2,2,1],'SAME') tf.nn.max_pool(f($),[1,9,9,1],2,'VALID')
tf.nn.avg_pool(f($),[1,2,2,1],[1,2,2,1],'VALID') tf.space_to_depth(f($),2)
tf.depth_to_space(f($),2) tf.image.resize_bilinear(f($),[7,8]) tf.image.rgb_to_hsv(f($))
tf.image.resize_nearest_neighbor(f($),i(2))
"""
FILTER = """
tf.nn.conv2d(f($),f(%),1,'SAME') tf.nn.conv2d(f($),f(%),2,'VALID')
tf.nn.depthwise_conv2d_native(f($),f(%),[1,1,1,1],'VALID')
tf.nn.conv2d_backprop_input(i(4),f(%),f($),[1,1,1,1],'SAME')
tf.nn.conv2d_backprop_input(tf.shape(f($)),f(%),f(2,5,6,8),[1,2,2,1],'SAME')
tf.nn.conv2d_backprop_filter(f($),tf.shape(f(%)),f(2,3,4,8),[1,1,1,1],'VALID')
"""
# Sizes that are computed. ``x`` is f(None,5,None,7).
SIZES = """
[2,3] [-1,3] [] [i(),4] i(None) i(3) [[1,2]] tf.shape(x)[1:] tf.shape(x)[-2:]
tf.cast(tf.shape(x),tf.int64) tf.concat([tf.shape(x)[:2],[9]],0) [tf.shape(x)[1]*2]
[tf.shape(x)[1]-1,tf.shape(x)[0]-1] [tf.shape(x)[3]//2,i()]
tf.stack(tf.unstack(tf.shape(x)))
tf.expand_dims(tf.shape(x)[3],0) tf.reshape(tf.shape(x)[1],[1]) tf.fill([3],2)
[tf.maximum(tf.shape(x)[1],3),tf.minimum(tf.shape(x)[1],3)] [tf.rank(x)]
[1+tf.size(f(2,3))]
tf.shape(x)[::2] [tf.constant(3),tf.constant(-4)]
"""
SIZED = """
tf.zeros(%) tf.fill(%,1.0) tf.random_normal(%) tf.broadcast_to(1.0,%)
tf.reshape(f(...),%) tf.tile(f(1,1),%) tf.scatter_nd(i(1,1),f(...),%)
"""
ALONE = """
tf.range(5) tf.range(2,10,3) tf.range(10,0,-3) tf.range(0,5,-1) tf.range(i())
tf.range(0.,1.,.3)
tf.range(5+tf.shape(f(3))[0]) tf.linspace(0.,1.,5) tf.linspace(0.,1.,i()) tf.fill([-2],0)
tf.sequence_mask([5,3]) tf.sequence_mask([2,3],4) tf.sequence_mask(i(2))
tf.multinomial(f(None,3),4) f(6)[:tf.shape(f(4,None))[0]-1]
tf.sequence_mask([[5,3],[2,1]]) tf.sequence_mask(tf.constant([[5],[3]],tf.int64))
tf.bincount(1) tf.bincount([[1,2],[5,3]]) tf.bincount([1,2,5],minlength=9)
tf.bincount([1,2,5],maxlength=3) tf.bincount(tf.constant([],tf.int32))
tf.bincount([1,2],weights=[1.,2.]) tf.bincount(i(3))
tf.gather_nd(f(5,1,None),i(None,1),batch_dims=1)
tf.gather_nd(f(3,2),i(None,1),batch_dims=1)
tf.gather_nd(f(3,4,2,5),i(3,None,7,1),batch_dims=2)
tf.raw_ops.SplitV(value=f(2),size_splits=[-1,3],axis=i(),num_split=2)
tf.raw_ops.SplitV(value=f(2),size_splits=[-1,1],axis=i(),num_split=2)
tf.nn.conv3d(f(1,3,3,3,1),f(...),[1,2,2,2,1],'SAME')
tf.nn.conv3d(f(1,3,3,3,1),f(None,2,2,None,4),[1,2,2,2,1],'VALID')
tf.nn.conv3d(f(...),f(None,None,2,1,2),[1,2,1,2,1],'VALID')
tf.nn.conv3d_transpose(f(...),f(None,None,None,3,2),[1,4,4,4,3],[1,2,2,2,1])
tf.scatter_nd(i(1,3),f(2,1),i(None)) tf.scatter_nd(i(2),f(3),[-1,0,3])
tf.scatter_nd(i(2,1),f(None,3),i(...)) tf.scatter_nd(i(...),f(2),[0,3])
tf.scatter_nd(i(...),f(),i(...)) tf.raw_ops.ConcatV2(values=[f(2),f(2)],axis=i(1))
tf.raw_ops.ConcatV2(values=[f(...),f(...)],axis=i(None))
tf.raw_ops.StridedSliceGrad(shape=i(2,2),begin=i(...),end=i(...),strides=i(...),dy=f(...))
tf.nn.conv2d_backprop_input(i(2),f(...),f(...),[1,1,1,1],'SAME')
tf.nn.depthwise_conv2d_backprop_input(i(2),f(...),f(...),[1,1,1,1],'SAME')
tf.nn.conv2d_backprop_filter(f(...),i(2),f(...),[1,1,1,1],'SAME')
tf.raw_ops.ResizeBilinearGrad(grads=f(...),original_image=f(1,2,2,1))
tf.raw_ops.SplitV(value=f(4),size_splits=i(2),axis=i(1),num_split=2)
tf.raw_ops.SplitV(value=f(4),size_splits=i(...),axis=[0],num_split=1)
tf.raw_ops.SplitV(value=f(2,3),size_splits=[3],axis=i(),num_split=1)
tf.sequence_mask(tf.constant([],tf.int64)) tf.sequence_mask(tf.constant([],tf.int32))
tf.repeat([],tf.constant([],tf.int32)) tf.repeat(f(0,2),i(None),axis=0)
tf.reshape(f(0),i(1)) tf.reshape(f(0),i(2)) tf.reshape(f(0),[2,i()])
tf.reshape(f(0,3),[0,i()])
tf.unsorted_segment_min(f(...),i(3),-1)
tf.image.psnr(f(4,None,1),f(None,None,2),1.0) tf.image.psnr(f(4,4,1),f(3,4,4,1),1.0)
tf.image.flip_left_right(f(3,1,0)) tf.image.per_image_standardization(f(0,3,3))
tf.nn.atrous_conv2d(f(1,6,6,2),f(None,2,2,3),2,'SAME')
tf.parallel_stack([f(1),f(1)]) tf.parallel_stack([f(1),f(None)])
tf.parallel_stack([b(1),f(...)])
tf.raw_ops.SpaceToBatchND(input=f(...),block_shape=[3,-1],paddings=i(...))
tf.raw_ops.SpaceToBatchND(input=f(...),block_shape=[3,1],paddings=i(...))
tf.raw_ops.MirrorPadGrad(input=f(...),paddings=[[1,-1]],mode='REFLECT')
tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=f(0,3),labels=f(...))
tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=f(...),labels=f(0,3))
"""


def expressions() -> list[str]:
    """All expressions of the table."""
    found = []
    for lists, firsts, seconds in (
        (ONE, SHAPES, [""]),
        (TWO, PAIRED, PAIRED),
        (IMAGE, IMAGES, [""]),
        (FILTER, IMAGES, FILTERS),
        (SIZED, [""], SIZES.split()),
        (ALONE, [""], [""]),
    ):
        for template, first, second in product(lists.split(), firsts, seconds):
            found.append(template.replace("$", first).replace("%", second))
    return list(dict.fromkeys(found))


def evaluate(tf: Any, expression: str) -> str:
    """The static shape of each result, or the type of the error."""

    def placeholder(dtype: Any) -> Any:
        return lambda *sizes: tf.placeholder(dtype, None if sizes == (...,) else sizes)

    with tf.Graph().as_default():
        names = {"tf": tf, "f": placeholder(tf.float32), "i": placeholder(tf.int32)}
        names |= {"b": placeholder(tf.bool), "x": names["f"](None, 5, None, 7)}
        try:
            result = eval(expression, names)
            results = result if isinstance(result, (list, tuple)) else [result]
            return " ".join(str(tensor.shape).replace(" ", "") for tensor in results)
        except (ValueError, TypeError) as error:
            return type(error).__name__


def read() -> list[tuple[str, str]]:
    """The rows of the table: an expression, and what comes of it."""
    lines = TABLE.read_text().splitlines()[1:]
    return [tuple(line.split(" -> ")) for line in lines]


def main() -> None:
    """Makes the table again."""
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
    lines = [f"{text} -> {evaluate(tf, text)}" for text in expressions()]
    head = f"# Made by {Path(__file__).name}: what TensorFlow knows of a result."
    TABLE.write_text("\n".join([head, *lines]) + "\n")


if __name__ == "__main__":
    main()
