from __future__ import annotations

import sys
from datetime import timedelta

import pytest

from memconsole.adapters.fleet import program
from memconsole.errors import SourceAwayError

LONG = timedelta(minutes=1)


def test_both_ways_out_and_the_code_are_returned() -> None:
    words = "import sys; print('{}'); sys.stderr.write('why'); sys.exit(3)"
    heard, said = program.run([sys.executable, "-c", words], LONG)
    assert (heard.text, heard.code, said) == (b"{}\n", 3, "why")


def test_one_that_does_not_answer_is_ended_and_told() -> None:
    endless = [sys.executable, "-c", "import time; time.sleep(600)"]
    with pytest.raises(SourceAwayError, match="no answer within 0 s"):
        program.run(endless, timedelta(milliseconds=100))


def test_one_that_is_not_there_is_told() -> None:
    with pytest.raises(SourceAwayError, match="No such file"):
        program.run(["/nowhere/ssh"], LONG)


def test_one_that_complains_without_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "MOST_BYTES", 1000)
    words = "import sys, time; sys.stderr.write('x' * 5000); sys.stderr.flush(); time.sleep(600)"
    with pytest.raises(SourceAwayError, match="its answer is longer"):
        program.run([sys.executable, "-c", words], LONG)
