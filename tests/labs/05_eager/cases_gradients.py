"""Lab 05, task 8: gradients, and forgetting."""

from typing import Any

import numpy as np
from lab_05_eager.trials import (
    answers_trial,
    dense,
    inputs_of,
    memory_trials,
    programs,
    questions_of,
    tape_trial,
    wrong_error,
    wrong_gradient,
)
from lab_common import jets
from lab_common.checks import call_trial
from lab_common.programs import Program, describe_program, step

from minitf_lab.judge.case import Call, Mismatch, Trial, case, describe
from minitf_lab.judge.draw import FLOATING, Draw


@case("05.8", over=FLOATING)
def gradients_of_programs(draw, dtype):
    """What a tape gives is the derivative, for any ys, xs and weights."""
    for program in programs(draw, 12, dtype):
        watched = inputs_of(program)
        yield tape_trial(program, questions_of(draw, program, 1), watched=watched)
        (question,) = questions_of(draw, program, 1)
        made = [name for step_ in program.steps for name in step_["outputs"]]
        question["xs"] = [x for x in made if x in program.shapes][-3:]
        if question["xs"]:
            yield tape_trial(program, [question], watched=watched)


@case("05.8", over=("an op without a gradient", "a gradient that raises",
                    "weights that are too many"))  # fmt: skip
def asked_in_vain(draw, why):
    """A tape whose question ends with an error was asked all the same."""
    kind, how, num_dys = {
        "an op without a gradient": ("NotFoundError", "Unique", 1),
        "a gradient that raises": ("ZeroDivisionError", "Raising", 1),
        "weights that are too many": ("InvalidArgumentError", "Neg", 2),
    }[why]
    program = [step("Square", ["x"], "y"), step("Neg", ["y"], "v")]
    program.append(step(how, ["v"], ["u", "i"] if how == "Unique" else "u"))
    question = {"ys": ["u"], "xs": ["x"], "dys": [None] * num_dys}
    for is_persistent in (False, True):
        for asks_within in (False, True):

            def check(values: list[Any], keeps: bool = is_persistent) -> str | None:
                answers, records = values[0]["answers"], values[0]["records"]
                again = kind if keeps else "FailedPreconditionError"
                for answer, expected in zip(answers, (kind, again), strict=True):
                    if wrong := wrong_error(answer, expected):
                        return wrong
                if not keeps and any(records[1:]):
                    return f"{max(records[1:])} records are kept after the question"
                if keeps and min(records) < 3:
                    return f"{min(records)} records are left of 3"
                return None

            arguments = {
                "program": program, "inputs": {"x": draw.array((3,))}, "watched": ["x"],
                "questions": [question] * 2, "is_persistent": is_persistent,
                "asks_within": asks_within,
            }  # fmt: skip
            yield Trial(
                f"{describe_program(program)}, asked twice; persistent: {is_persistent}, "
                f"recording meanwhile: {asks_within}",
                [Call("gradients", arguments)],
                check,
            )


@case("05.8")
def asked_for_nothing(draw):
    """A question without xs, or without ys, is a question, too."""
    for program in programs(draw, 4):
        watched = inputs_of(program)
        for is_persistent in (False, True):
            for empty in ({"xs": []}, {"ys": [], "dys": []}):
                questions = questions_of(draw, program, 2)
                questions[0] |= empty
                yield tape_trial(
                    program, questions, watched=watched, is_persistent=is_persistent
                )


@case("05.8")
def targets_without_gradients(draw):
    """A y of whole numbers adds nothing; the others keep their weights."""
    program = Program(
        [step("Square", ["x"], "y"), step("Cast", ["y"], "n", DstT="int32")]
    )
    program.steps.append(step("Mul", ["y", "x"], "z"))
    for shape in [(), (2,), (2, 3)]:
        program.inputs = {"x": 3 * draw.array(shape)}
        program.shapes = dict.fromkeys("xyz", shape)
        for ys in (["n"], ["n", "z"], ["z", "n", "y"], ["n", "n", "y", "z"]):
            for chance in (0.0, 0.5, 1.0):
                dys = [
                    draw.array(shape, *["int32", "whole"] * (y == "n"))
                    if draw.coin(chance)
                    else None
                    for y in ys
                ]
                question = {"ys": ys, "xs": ["x", "y"], "dys": dys}
                yield tape_trial(program, [question], watched=["x"])


@case("05.8")
def targets_that_are_sources(draw):
    """What is a source and a target has its own weight, watched or not."""
    program = Program([step("Mul", ["x", "u"], "y"), step("Mul", ["w", "u"], "z")])
    nothing = Program([])
    for shape in [(), (2,), (2, 3)]:
        nothing.inputs = {name: draw.array(shape) for name in "xw"}
        nothing.shapes = dict.fromkeys("xw", shape)
        for ys in (["x"], ["w"], ["w", "x", "w"], ["x", "x"]):
            for is_persistent in (False, True):
                dys = [draw.array(shape) if draw.coin() else None for _ in ys]
                question = {"ys": ys, "xs": draw.shuffled(["x", "w"]), "dys": dys}
                yield tape_trial(
                    nothing, [question], watched=["x"], is_persistent=is_persistent
                )
        program.inputs = {name: draw.array(shape) for name in "xuw"}
        program.shapes = dict.fromkeys("xuwyz", shape)
        for ys in (["w"], ["x"], ["z"], ["w", "w"], ["y", "w"], ["x", "y", "u"]):
            for is_persistent in (False, True):
                dys = [draw.array(shape) if draw.coin() else None for _ in ys]
                question = {"ys": ys, "xs": draw.shuffled(sorted({"x", *ys})), "dys": dys}
                yield tape_trial(
                    program, [question], watched=["x"], is_persistent=is_persistent
                )


@case("05.8")
def asked_while_it_records(draw):
    """A tape may be asked while it records; what that calls changes no answer."""
    for program in programs(draw, 6):
        watched = inputs_of(program)
        for is_persistent in (False, True):
            count = 3 if is_persistent else 1
            yield tape_trial(
                program, questions_of(draw, program, count), watched=watched,
                is_persistent=is_persistent, asks_within=True,
            )  # fmt: skip


def nested_trial(draw: Draw, program: Any, is_persistent: bool) -> Trial:
    y = program.steps[-1]["outputs"][0]
    ys = {y: draw.array(program.shapes[y])}
    weights = {x: draw.array(program.inputs[x].shape) for x in inputs_of(program)}
    reached = {
        x: jets.gradient(program.steps, program.inputs, x, ys) is not None
        for x in weights
    }
    used = {x: w for x, w in weights.items() if reached[x]}

    def check(got: Any) -> Mismatch | str | None:
        if isinstance(got, dict):
            return f"it raised {got['raised']}: {got['text']}"
        for x, parts in zip(weights, got, strict=True):
            expected = jets.second(program.steps, program.inputs, x, ys, used)
            one = dense(parts)
            if one is None and not np.any(expected):
                continue
            if wrong := wrong_gradient(one, expected, "float64", f"the second d/d{x}"):
                return wrong
        return None

    kinds = ", ".join(f"{n} {describe(v)}" for n, v in program.inputs.items())
    how = "by one persistent tape" if is_persistent else "by two tapes"
    title = f"{describe_program(program.steps)}, with {kinds}, twice, {how}"
    return call_trial(
        title, check, "by_nested_tapes", program=program.steps, inputs=program.inputs,
        ys=ys, weights=weights, is_persistent=is_persistent,
    )  # fmt: skip


@case("05.8", over=("nested", "persistent"))
def second_derivatives(draw, how):
    """The calls of one tape's question are recorded by another, or by itself."""
    for program in programs(draw, 14):
        yield nested_trial(draw, program, how == "persistent")


@case("05.8")
def gradients_in_slices(draw):
    """A gradient that comes in slices has three parts, any other has one."""
    for rows, num_dense in (([0], 0), ([1, 1, 3], 0), ([2, 0], 1), ([3], 2)):
        x = draw.array((4, 2))
        expected = num_dense * 2 * x
        np.add.at(expected, rows, 1.0)

        program = [step("Gather", ["x", "rows"], "y")]
        program += [step("Square", ["x"], f"z{i}") for i in range(num_dense)]
        inputs = {"x": x, "rows": np.int32(rows)}
        ys = [one["outputs"][0] for one in program]
        question = {"ys": ys, "xs": ["x"], "dys": [None] * len(ys)}
        title = f"rows {rows} of x, and {num_dense} squares of all of it"
        yield answers_trial(
            title, program, inputs, [question], [[expected]],
            num_parts=1 if num_dense else 3,
        )  # fmt: skip


@case("05.8", over=("once", "persistent"))
def live_bytes(draw, ask):
    """A tape that was asked keeps nothing, unless it is persistent."""
    yield from memory_trials(ask)
