"""Summaries of how full queues are."""

import minitf as tf


def test_summaries_say_how_full_the_queues_are():
    number = tf.train.range_input_producer(8, capacity=16, shuffle=False).dequeue()
    tf.train.batch([number], 2, capacity=4)
    tf.train.shuffle_batch([number], 2, 20, 5)
    names = [summary.name for summary in tf.get_collection(tf.GraphKeys.SUMMARIES)]
    assert names == [
        "input_producer/fraction_of_16_full:0",
        "batch/fraction_of_4_full:0",
        "shuffle_batch/fraction_over_5_of_15_full:0",
    ]
