"""Event files of many writers: threads, processes, forks, and writers left open."""

import multiprocessing
import os
import re
import subprocess
import sys
import threading

import pytest

import minitf as tf

NAME = re.compile(r"events\.out\.tfevents\.\d{10}\..+")
FORK = multiprocessing.get_context("fork")


def add(writer, step):
    value = tf.Summary.Value(tag="a", simple_value=step)
    writer.add_summary(tf.Summary(value=[value]), step)


def events_of(path):
    """The steps in a file, whose first event must say the version."""
    first, *events = tf.train.summary_iterator(str(path))
    assert first.file_version == "brain.Event:2"
    return [event.step for event in events]


def files_of(folder):
    """The event files, in the order of their names, in which TensorBoard reads them."""
    files = sorted(folder.iterdir())
    assert all(NAME.fullmatch(path.name) for path in files)
    return files


def steps_in(folder):
    return [step for path in files_of(folder) for step in events_of(path)]


def wait_for(process):
    process.join(60)
    assert process.exitcode == 0


def test_writers_of_one_second_have_files_in_the_order_of_their_creation(tmp_path):
    for step in range(12):
        with tf.summary.FileWriter(str(tmp_path)) as writer:
            add(writer, step)
    assert [events_of(path) for path in files_of(tmp_path)] == [[i] for i in range(12)]


def test_a_suffix_ends_the_name_of_every_file(tmp_path):
    writer = tf.summary.FileWriter(str(tmp_path), filename_suffix=".v2")
    for step in range(4):
        add(writer, step)
        writer.close()
        writer.reopen()
    writer.close()
    files = files_of(tmp_path)
    assert [events_of(path) for path in files] == [[0], [1], [2], [3], []]
    assert all(path.name.endswith(".v2") for path in files)


def test_a_file_that_is_there_is_never_truncated(tmp_path):
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        add(writer, 1)
    (path,) = files_of(tmp_path)
    before = path.read_bytes()
    head, seconds, host = re.fullmatch(r"(.*tfevents\.)(\d+)(\..*)", path.name).groups()
    for i in range(1, 5):  # the next seconds are taken, by another machine perhaps
        (tmp_path / f"{head}{int(seconds) + i}{host}").write_bytes(before)
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        add(writer, 2)
    assert steps_in(tmp_path) == [1] * 5 + [2]


def write_in_threads(folder, first):
    """4 threads, each of which adds 6 events to each of 3 writers."""

    def work(thread):
        for i in range(3):
            suffix = ".s" if i == 1 else None
            writer = tf.summary.FileWriter(folder, max_queue=4, filename_suffix=suffix)
            for j in range(6):
                add(writer, first + thread * 18 + i * 6 + j)
                if j == i:
                    writer.close()
                    writer.reopen()
            if i < 2:
                writer.close()  # the last one is left to its end

    threads = [threading.Thread(target=work, args=[i]) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_no_event_of_6_processes_with_4_threads_each_is_lost(tmp_path):
    folder = str(tmp_path)
    processes = [
        FORK.Process(target=write_in_threads, args=(folder, 72 * i)) for i in range(6)
    ]
    for process in processes:
        process.start()
    for process in processes:
        wait_for(process)
    assert sorted(steps_in(tmp_path)) == list(range(6 * 72))


def test_threads_share_a_writer(tmp_path):
    writer = tf.summary.FileWriterCache.get(str(tmp_path))

    def work(first):
        for step in range(first, first + 50):
            add(writer, step)

    threads = [threading.Thread(target=work, args=[50 * i]) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tf.summary.FileWriterCache.clear()
    assert sorted(filter(None, steps_in(tmp_path))) == list(range(1, 200))


@pytest.mark.parametrize("closes", [True, False])
def test_a_fork_writes_to_a_file_of_its_own(tmp_path, closes):
    writer = tf.summary.FileWriter(str(tmp_path))
    add(writer, 1)

    def work():
        add(writer, 2)
        if closes:
            writer.close()

    child = FORK.Process(target=work)
    child.start()
    add(writer, 3)
    wait_for(child)
    add(writer, 4)
    writer.close()
    assert [events_of(path) for path in files_of(tmp_path)] == [[1, 3, 4], [2]]


def test_a_fork_that_writes_nothing_makes_no_file(tmp_path):
    writer = tf.summary.FileWriter(str(tmp_path))
    add(writer, 1)
    child = FORK.Process(target=lambda: (writer.flush(), writer.close()))
    child.start()
    wait_for(child)
    add(writer, 2)
    writer.close()
    assert [events_of(path) for path in files_of(tmp_path)] == [[1, 2]]


def test_forks_do_not_wait_for_threads_that_write(tmp_path):
    writer = tf.summary.FileWriter(str(tmp_path), max_queue=1)
    is_over = threading.Event()

    def work():
        while not is_over.is_set():
            add(writer, 1)

    thread = threading.Thread(target=work)
    thread.start()
    for _ in range(20):
        child = FORK.Process(target=lambda: add(writer, 2))
        child.start()
        wait_for(child)
    is_over.set()
    thread.join()
    writer.close()
    assert steps_in(tmp_path).count(2) == 20


def test_a_writer_that_is_left_open_is_flushed_at_exit(tmp_path):
    program = (
        "import sys, minitf as tf\n"
        "writer = tf.summary.FileWriter(sys.argv[1])\n"
        "cached = tf.summary.FileWriterCache.get(sys.argv[1])\n"
        "for i in (1, 2):\n"
        "    value = tf.Summary.Value(tag='a', simple_value=i)\n"
        "    [writer, writer, cached][i].add_summary(tf.Summary(value=[value]), i)\n"
        "sys.modules['keeps'] = [writer, cached]\n"
    )
    subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], check=True, env=os.environ
    )
    assert sorted(filter(None, steps_in(tmp_path))) == [1, 2]
