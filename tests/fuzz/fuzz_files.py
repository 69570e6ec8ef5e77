"""``./lab fuzz``: damaged and random bytes, for everything that reads files.

libFuzzer looks for bytes that take a reader where none has been before, beginning with
good files that minitf writes here. A target fails when it crashes, hangs for ten seconds,
takes more memory than ``MEMORY_MB``, or contradicts itself; the bytes are kept. What was
found on the way is kept too, in ``.lab/fuzz``, and the next run begins with it.

The target ``capi`` reads no file: each byte selects a call of the C API, or an argument.
The reader of IDX files is Python, so its bytes are good files with mistakes made at
random. Read next: ``tests/fuzz/fuzzing.h``.
"""

import argparse
import random
import resource
import subprocess
import sys
import time

from fuzz_api_prelude import damaged

from minitf_lab import project
from minitf_lab.labs import report

MEMORY_MB = 1024
HANG_S = 10
TARGETS = (
    "bmp",
    "capi",
    "event_file",
    "example",
    "gif",
    "graph_def",
    "jpeg",
    "png",
    "record",
)
# Two frames, the second one interlaced and half beyond the canvas; a screen of 0 x 0.
GIF = (
    "47494638396100000000800000ff00000000ff2c000000000200010000020204530021f9040100000100"
    "2c010001000200040040020704c31004c13005003b"
)
# 2 x 1 pixels of 32 bits, with four masks of colors.
BMP = (
    "424d4e0000000000000046000000380000000200000001000000010020000600000008000000130b0000"
    "130b000000000000000000000000ff0000ff0000ff000000000000ff0102030405060708"
)
CORPUS = project.ROOT / ".lab" / "fuzz"
PROGRAMS = project.ROOT / "build" / "fuzz" / "tests" / "fuzz"


def _write_seeds() -> None:
    """Good files for every target, made by minitf itself."""
    import numpy as np

    import minitf as tf
    from minitf.framework import messages

    seeds: dict[str, list[bytes]] = {target: [] for target in TARGETS}
    example = messages.get("Example")()
    example.features.feature["label"].int64_list.value.extend([1, -2, 1 << 60])
    example.features.feature["pixels"].float_list.value.extend([0.5, -1.0])
    example.features.feature["name"].bytes_list.value.extend([b"", b"abc"])
    sequence = messages.get("SequenceExample")()
    sequence.context.CopyFrom(example.features)
    steps = sequence.feature_lists.feature_list["steps"]
    steps.feature.add().int64_list.value.append(3)
    seeds["example"] = [example.SerializeToString(), sequence.SerializeToString()]

    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        y = tf.nn.relu(tf.matmul(x, tf.ones([3, 2])) + tf.constant([1.0, 2.0]))
        tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.size(y)])
    sys.path.append(str(project.ROOT / "tests" / "contrib" / "legacy"))
    from reference_graphs import RandomGraph

    graphs = [graph.as_graph_def(), *(RandomGraph(tf, i).graph for i in range(8))]
    seeds["graph_def"] = [message.SerializeToString() for message in graphs]

    pixels = np.arange(8 * 9 * 3, dtype=np.uint8).reshape(8, 9, 3)
    with tf.Graph().as_default(), tf.Session() as session:
        gray = pixels[:, :, :1]
        for image in (pixels, gray):
            seeds["jpeg"].append(session.run(tf.image.encode_jpeg(image)))
            seeds["png"].append(session.run(tf.image.encode_png(image)))
    # The numbers of calls and of their arguments, in any order.
    chance = random.Random(1)
    seeds["capi"] = [bytes(chance.randrange(40) for _ in range(400)) for _ in range(8)]
    seeds["gif"], seeds["bmp"] = [bytes.fromhex(GIF)], [bytes.fromhex(BMP)]
    event = messages.get("Event")(wall_time=1.0, step=2)
    event.summary.value.add(tag="loss", simple_value=0.5)
    seeds["event_file"] = [event.SerializeToString()]

    for number, name in enumerate(("", "GZIP", "ZLIB")):
        path = CORPUS / "records"
        kind = getattr(tf.python_io.TFRecordCompressionType, name or "NONE")
        options = tf.python_io.TFRecordOptions(kind)
        with tf.python_io.TFRecordWriter(str(path), options) as writer:
            for record in (b"", b"abc", b"x" * 300):
                writer.write(record)
        seeds["record"].append(bytes([number]) + path.read_bytes())
        path.unlink()
    for target, files in seeds.items():
        folder = CORPUS / target
        folder.mkdir(parents=True, exist_ok=True)
        for number, data in enumerate(files):
            (folder / f"seed_{number}").write_bytes(data)


def _run_libfuzzer(target: str, seconds: int) -> tuple[bool, str]:
    """Whether the target stood, and the last lines of its report."""
    done = subprocess.run(
        [
            str(PROGRAMS / f"fuzz_{target}"),
            str(CORPUS / target),
            f"-max_total_time={seconds}",
            f"-rss_limit_mb={MEMORY_MB}",
            f"-timeout={HANG_S}",
            f"-artifact_prefix={CORPUS / target}_",
            "-print_final_stats=1",
        ],
        capture_output=True,
        text=True,
        errors="replace",
    )
    lines = done.stderr.splitlines()
    runs = [line for line in lines if "number_of_executed_units" in line]
    text = runs[-1].split()[-1] + " inputs" if runs else ""
    return done.returncode == 0, text if done.returncode == 0 else "\n".join(lines[-40:])


_IDX_PROGRAM = """
import sys
from pathlib import Path
from minitf.data.idx import IdxError, read_idx
path = Path(sys.argv[1])
for line in sys.stdin:
    path.write_bytes(bytes.fromhex(line))
    try:
        read_idx(path)
    except IdxError:
        pass
    print("ok", flush=True)
"""


def _run_idx(seconds: int) -> tuple[bool, str]:
    """Feeds a process of limited memory with broken IDX files."""
    chance = random.Random(1)
    good = bytes([0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4]) + bytes(range(24))
    limit = MEMORY_MB << 20
    process = subprocess.Popen(
        [sys.executable, "-c", _IDX_PROGRAM, str(CORPUS / "input.idx")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit)),
    )
    end, count = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        data = damaged(good, chance)
        try:
            process.stdin.write(data.hex() + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except OSError:
            answer = ""
        if answer != "ok\n":
            (CORPUS / "idx_crash").write_bytes(data)
            return False, process.communicate()[1]
        count += 1
    process.communicate()
    return True, f"{count} inputs"


def main(args: argparse.Namespace) -> int:
    """Runs the targets in ``args.targets``, each for ``args.seconds``."""
    known = [*TARGETS, "idx"]
    for target in args.targets:
        if target not in known:
            raise project.LabError(
                f"no fuzz target is called '{target}'; there are {', '.join(known)}"
            )
    CORPUS.mkdir(parents=True, exist_ok=True)
    _write_seeds()
    out = report.console()
    num_failed = 0
    for target in args.targets or known:
        run = _run_idx if target == "idx" else None
        stood, text = run(args.seconds) if run else _run_libfuzzer(target, args.seconds)
        num_failed += not stood
        word = "stood" if stood else "FAILED"
        out.print(f"{target}: {word}, {text}", markup=False, soft_wrap=True)
    num_passed = len(args.targets or known) - num_failed
    out.print(f"{num_passed} passed, {num_failed} failed")
    return int(num_failed > 0)
