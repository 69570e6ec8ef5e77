"""A graph to be watched: MINITF_VLOG=3 ./lab python work/00_hello/hello.py."""

import minitf as tf

x = tf.constant([1.0, 2.0, 3.0])
y = tf.constant([1.0, 2.5, 3.0]) * 1.0
near = tf.raw_ops.ApproximateEqual(x=x, y=y, tolerance=0.1)
sine = tf.sin(x)

with tf.Session() as session:
    print(session.run(near))
