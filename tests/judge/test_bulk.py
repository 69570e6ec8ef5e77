"""A dozen hand-ins of lab 04, judged while processes are killed at random."""

import argparse

import bulk


def test_a_dozen_with_kills(tmp_path, capsys):
    numbers = {"count": 12, "jobs": 2, "pause": 4.0, "kills": 8, "again": 3, "seed": 1}
    status = bulk.try_class(tmp_path, argparse.Namespace(**numbers))
    said = capsys.readouterr().out
    assert status == 0, said
    assert "nothing is lost, and nothing judged twice" in said
