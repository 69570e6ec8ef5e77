"""TensorFlow 1.15's public names, and which of them minitf has.

``python/minitf/tensorflow_names.txt`` has a line for each public object of TensorFlow
1.15: all its names, below ``tf``. minitf reads the file to answer second names, so an
alias is there as soon as one name of its line is. To make the file again, unpack the
wheel of TensorFlow 1.15 and name its folder ``tensorflow_core``::

    python tests/python/tensorflow_names.py --read FOLDER

Without an argument, the script lists the missing names by their reasons::

    ./lab python tests/python/tensorflow_names.py

The names of ``tf.compat.v1`` are those of ``tf``. Those of ``tf.raw_ops`` are ops. Three
packages are no part of the API files: ``tf.keras``, ``tf.estimator`` and ``tf.contrib``.
"""

import argparse
import itertools
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import minitf

TABLE = Path(__file__).parents[2] / "python" / "minitf" / "tensorflow_names.txt"

_IMPORT = re.compile(r"^from (\S+) import (\w+)(?: as (\w+))?$", re.M)
_LEFT_OUT = (("compat", "v1"), ("compat", "v2"), ("raw_ops",))
# Python files of TensorFlow that its API imports for itself.
_INSIDE = ("__future__", "tensorflow._api")

# Why names are missing, and patterns of the names.
REASONS = {
    "later: checkpoints": r"""
        train\.(Checkpoint|NewCheckpoint|Saver|Scaffold|Vocab)\w* train\.\w*checkpoint\w*
        train\.((export|import)_meta_graph|list_variables|load_variable|warm_start)
        """,
    "later: saved models": r"MetaGraphDef TensorInfo saved_model\..*",
    "later: sessions with hooks": r"""
        train\.\w*(Hook|Session|SessionCreator|SessionManager|Timer|TrainingError)
        train\.(SessionRun\w+|Supervisor|basic_train_loop)
        """,
    "later: sessions of several processes": r"""
        train\.(\w*(Cluster|Job|Server)\w*|SyncReplicasOptimizer)
        (sparse\.)?(Sparse)?ConditionalAccumulator(Base)?
        """,
    "later: loops over sequences": r"""
        TensorArray foldl foldr map_fn scan vectorized_map
        """,
    "later: recurrent networks": r"""
        nn\.(rnn_cell\..*|\w*_rnn|ctc_\w+|collapse_repeated) edit_distance
        """,
    "later: tables": r"""
        initialize_all_tables (initializers\.)?tables_initializer lookup\..*
        """,
    "later: datasets": r"""
        data\..* (Optional|RaggedTensor|SparseTensor|Tensor|Type)\w*Spec
        """,
    "later: tensors that a session holds": r"(get|delete)_session_(handle|tensor)",
    "later: test cases": r"test\.(Benchmark|StubOutForTesting|TestCase|mock|\w+_\w+)",
    "later: decompositions of matrices": r"""
        cholesky\w* matrix_(solve\w*|square_root|triangular_solve) qr svd
        self_adjoint_eig(vals)?
        linalg\.(cholesky\w*|eigh|eigvalsh|expm|logm|lstsq|lu|matrix_rank|normalize)
        linalg\.(pinv|qr|slogdet|solve|sqrtm|svd|triangular_solve|tridiagonal_\w+)
        """,
    "later: Fourier transforms": r"""
        (spectral|signal)\..* i?fft[23]?d?
        """,
    "later: more distributions of random numbers": r"""
        (random\.)?(random_)?(gamma|poisson) random\.(stateless_\w+|experimental\..*)
        """,
    "later: more ops on text": r"""
        strings\.\w+|string_\w+|(dtypes\.)?as_string|reduce_join|regex_replace|substr
        (io\.)?((en|de)code_base64|decode_compressed)
        """,
    "later: more ops on sparse tensors": r"sparse\.\w+ ((math|linalg)\.)?sparse_\w+",
    "later: more ops that move elements": r"""
        (manip\.)?roll|(batch_|tensor_)?scatter_\w+|unravel_index
        """,
    "later: boxes in images, and their likeness": r"""
        image\.(combined_non_max_\w+|crop_and_resize|draw_bounding_boxes|extract_\w+)
        image\.(non_max_\w+|random_jpeg_quality|sample_\w+|ssim\w*)
        """,
    "later: losses by sampled classes": r"""
        (nn|random)\.\w*_sampler nn\.(compute_accidental_hits|nce_loss)
        nn\.sampled_softmax_loss
        """,
    "later: what few programs use": r"""
        extract_volume_patches CriticalSection fingerprint timestamp LMDBReader
        (math\.)?(betainc|bessel_\w+|cumulative_logsumexp)
        nn\.(conv3d_backprop_filter\w*|dilation2d|erosion2d|fractional_\w+)
        train\.(AdagradDAOptimizer|sdca_\w+)
        """,
    "out of scope: messages of TensorBoard's own": r"""
        HistogramProto LogMessage (summary\.)?(Summary|Tagged)\w+
        """,
    "out of scope: quantization": r"""
        fake_quant_\w+ quantize\w* dequantize quantized_concat quantization\..*
        (dtypes\.)?QUANTIZED_DTYPES (dtypes\.)?qu?int(8|16|32) nn\.quantized_\w+
        train\.do_quantize_\w+
        """,
    "out of scope: compilers, tools and devices": r"""
        (lite|tpu|xla|autograph|profiler|audio|user_ops)\..*
        """,
    "out of scope: packages of their own": r"""
        (distribute|distributions|feature_column|ragged|nest|sets)\..* RaggedTensor Module
        linalg\.LinearOperator\w*
        """,
    "out of scope: settings that a ConfigProto has": r"""
        config\..* debugging\.(get|set)_log_device_placement
        """,
    "out of scope: TensorFlow 2": r"""
        function wrap_function nondifferentiable_batch_function (dtypes\.)?variant
        nn\.(compute_average_loss|scale_regularization_loss) train\.experimental\..*
        summary\.(all_v2_summary_ops|initialize|get_summary_description)
        """,
    "out of scope: for use inside of TensorFlow": r"""
        compat\.forward_\w+ experimental\..* layers\.(experimental\..*|InputSpec)
        (io\.)?(en|de)code_proto load_file_system_library load_library
        graph_util\.\w+ errors\.raise_exception_on_not_ok_status
        convert_to_tensor_or_sparse_tensor
        """,
}
# Packages that are no part of the API files, and why minitf does not have them.
PACKAGES = {
    "contrib": "out of scope: minitf.contrib has the families of minitf",
    "estimator": "out of scope: a package of its own",
    "keras": "out of scope: a package of its own",
}


def groups() -> list[list[str]]:
    """The names of each public object of TensorFlow 1.15."""
    return [line.split() for line in TABLE.read_text().splitlines()]


def value_of(name: str) -> Any:
    """What minitf has as ``tf.name``; ``KeyError`` if nothing."""
    value: Any = minitf
    for part in name.split("."):
        value = getattr(value, part, KeyError)
    return value


def reason_of(name: str) -> str | None:
    """Why a name is missing."""
    for reason, patterns in REASONS.items():
        if any(re.fullmatch(pattern, name) for pattern in patterns.split()):
            return reason
    return None


def missing() -> Iterator[tuple[str, str | None]]:
    """The names that minitf does not have, and why, or None."""
    for name in itertools.chain.from_iterable(groups()):
        if value_of(name) is KeyError:
            yield name, reason_of(name)


def read_api(folder: Path) -> list[list[str]]:
    """The names of each public object, from the API files of TensorFlow 1.15.

    Args:
        folder: ``tensorflow_core``, where the wheel was unpacked.
    """
    root = folder / "_api" / "v1"
    objects: dict[tuple[str, str], list[str]] = defaultdict(list)
    for page in [root / "v1.py", *sorted(root.rglob("__init__.py"))]:
        module = page.relative_to(root).parent.parts
        if page == root / "__init__.py" or any(
            module[: len(skipped)] == skipped for skipped in _LEFT_OUT
        ):
            continue
        for home, name, alias in _IMPORT.findall(page.read_text()):
            public = alias or name
            is_inside = home.startswith(_INSIDE) or name == "pywrap_tensorflow"
            if public[0] != "_" and not is_inside:
                objects[home, name].append(".".join([*module, public]))
    return sorted(sorted(names, key=_order) for names in objects.values())


def _order(name: str) -> tuple[int, str]:
    return name.count("."), name


def main() -> None:
    """Writes the table, or prints the missing names by their reasons."""
    parser = argparse.ArgumentParser(description="Names of TensorFlow 1.15.")
    parser.add_argument("--read", metavar="FOLDER", type=Path, help="write the table")
    folder = parser.parse_args().read
    if folder is not None:
        lines = [" ".join(names) + "\n" for names in read_api(folder)]
        TABLE.write_text("".join(lines))
        return
    by_reason: dict[str, list[str]] = defaultdict(list)
    for name, reason in missing():
        by_reason[reason or "WITHOUT A REASON"].append(name)
    for reason, names in sorted(by_reason.items()):
        print(f"{reason}\n    {len(names)}: {' '.join(names)}")


if __name__ == "__main__":
    main()
