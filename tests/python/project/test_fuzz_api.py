"""``./lab fuzz api``: no call with nonsense does harm, and one that does is found."""

import pytest

from minitf_lab.dev.checks import programs

fuzz_api = programs.load("fuzz", "fuzz_api")
fuzz_api_calls = programs.load("fuzz", "fuzz_api_calls")

NUM_CALLS = 100  # ./lab fuzz api makes more


def outcome_of(call, folder):
    worker = fuzz_api.Worker(str(folder), [call])
    try:
        return next(outcome for _, _, outcome in worker.outcomes())
    finally:
        worker.end()


def test_calls_with_nonsense_end_in_a_result_or_a_clear_error(tmp_path):
    run = fuzz_api.Run(seed=11, seconds=400, count=NUM_CALLS)
    run.run(str(tmp_path))
    findings = [
        f"{what} at {site}\n  {call}\n  {outcome['error']}"
        for (what, site), (call, outcome) in run.findings.items()
    ]
    assert not findings, "\n".join(findings)
    assert run.num_passed == NUM_CALLS


def test_the_same_seed_makes_the_same_calls():
    calls = [fuzz_api_calls.Calls() for _ in range(2)]
    texts = [[maker.make(3, number) for number in range(50)] for maker in calls]
    assert texts[0] == texts[1]
    assert len(set(texts[0])) > 40


@pytest.mark.parametrize(
    ("call", "what"),
    [
        ("graph:os.abort()", "the process dies of SIGABRT"),
        ("graph:os._exit(3)", "exit status 3"),
        ("eager:threading.Event().wait()", "takes longer than"),
        ("eager:tf.raw_ops.Fill(dims=[2**31], value=bytearray(1 << 33))", "MemoryError"),
        ("graph:tf.no_op().get_attr(tf.int32.nonsense)", None),
    ],
)
def test_what_does_harm_is_a_finding(call, what, tmp_path):
    outcome = outcome_of(call, tmp_path)
    if what is None:
        assert outcome["end"] == "AttributeError"  # the caller's own
    else:
        assert outcome["end"] == "wrong"
        assert outcome["what"].startswith(what)


def test_a_finding_shrinks_to_a_script_that_can_be_run(tmp_path):
    call = "graph:os._exit(len([tf.ones([2]), 1.0, {'a': 2}]))"
    key = fuzz_api._key(call, outcome_of(call, tmp_path))
    assert key == ("exit status 3", "graph:os._exit")
    smaller = fuzz_api._shrink(str(tmp_path), "graph:os._exit(3)", key, seconds=5)
    assert smaller == "graph:os._exit(3)"
    compile(fuzz_api.script(smaller), "script", "exec")
    assert "os._exit(3)" in fuzz_api.script(smaller)
    assert "f(1)" in list(fuzz_api._smaller("f(1, b=2)"))
    assert "f(0, b=2)" in list(fuzz_api._smaller("f([1.0], b=2)"))
