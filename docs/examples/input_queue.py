"""An input pipeline: threads fill a queue while a session takes batches from it.

A queue runner enqueues random points, and a second queue makes batches of them. The
program estimates pi by the share of the points that lie in a circle.
"""

import minitf as tf

BATCH = 256


def batches_of_points() -> tf.Tensor:
    """Returns batches ``[256,2]`` of points in the unit square, from a queue."""
    point = tf.random_uniform([2], seed=1)
    queue = tf.FIFOQueue(capacity=64, dtypes=[tf.float32], shapes=[[2]])
    runner = tf.train.QueueRunner(queue, [queue.enqueue([point])])
    tf.train.add_queue_runner(runner)
    batch: tf.Tensor = tf.train.batch([queue.dequeue()], BATCH, capacity=4 * BATCH)
    return batch


def main(steps: int = 20) -> float:
    """Runs some steps, and returns the estimate of pi."""
    with tf.Graph().as_default(), tf.Session() as session:
        points = batches_of_points()
        is_inside = tf.less(tf.reduce_sum(tf.square(points), axis=1), 1.0)
        share = tf.reduce_mean(tf.cast(is_inside, tf.float32))

        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        shares = [float(session.run(share)) for _ in range(steps)]
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=20)
    estimate = 4 * sum(shares) / steps
    print(f"pi is about {estimate:.2f}, by {steps * BATCH} points")
    return estimate


if __name__ == "__main__":
    main()
