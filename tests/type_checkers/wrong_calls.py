"""Calls that mypy and pyright must report: each line with ``# wrong``, and no other.

It is read, and never run. ``./lab lint`` compares the lines that each of the two reports
with those that are marked, so that stubs that allow everything are found.
"""

import minitf as tf

x = tf.constant([[1.0, 2.0]])
y = tf.constant([[1.0], [2.0]])

# Functions that are written in Python.
tf.matmul(x, y, transpose_b=True)
tf.matmul(x, y, transposed=True)  # wrong: the name of an argument
tf.matmul(x)  # wrong: an argument is missing
tf.matmul(x, y, transpose_a="yes")  # wrong: a str for a bool
tf.matmul(x, y, name=3)  # wrong: an int for a str
tf.reduce_sum(x, axis=0, keepdims=True)
tf.reduce_sum(x, keep=True)  # wrong: the name of an argument
tf.layers.dense(x, units=3)
tf.layers.dense(x)  # wrong: an argument is missing
tf.losses.mean_squared_error(x, y)
tf.losses.mean_squared_error(x, y, colour=1)  # wrong: the name of an argument

# Functions of ops, which the build takes from the registry.
tf.sin(x, name="s")
tf.sin()  # wrong: an argument is missing
tf.sin(value=x)  # wrong: the name of an argument
tf.math.sin(x, 1.0)  # wrong: a float for a str
tf.nn.relu(x, y, x)  # wrong: too many arguments
tf.nn.l2_loss(x).rank()  # wrong: tensors have no such method
tf.raw_ops.MatMul(a=x, b=y, transpose_a=True)
tf.raw_ops.MatMul(x, y)  # wrong: arguments of raw ops are given by name
tf.raw_ops.MatMul(a=x, b=y, transpose_a=2.5)  # wrong: a float for a bool
tf.raw_ops.AddN(inputs=3)  # wrong: an int for a list
tf.raw_ops.Cast(x=x, DstT=tf.int32)
tf.raw_ops.Cast(x=x, DstT=[tf.int32])  # wrong: a list for an element type
tf.raw_ops.NoSuchOp(x=x)  # wrong: there is no such op

# Classes, messages, constants and modules.
tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
tf.Session(device="cpu")  # wrong: the name of an argument
tf.Variable(1.0, colour="red")  # wrong: the name of an argument
tf.ConfigProto(soft_placement=True)  # wrong: no such field
tf.ConfigProto().gpu_options.memory = 1  # wrong: no such field
tf.train.Feature(int64_list=tf.train.FloatList(value=[1.0]))  # wrong: another message
tf.train.AdamOptimizer(rate=0.1)  # wrong: the name of an argument
tf.layers.MaxPooling2D(2)  # wrong: strides are missing
tf.float31  # noqa: B018 # wrong: no such element type
tf.maths.sin(x)  # wrong: no such module
x.shape.ranks  # noqa: B018 # wrong: shapes have no such attribute
x + y.numpys()  # wrong: tensors have no such method
