"""Every `--json` answer is that of its golden example, and the contract page describes it.

`GOLDEN_UPDATE=1 pytest tests/contract` writes the examples anew; look at what changed before you
commit them.
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any

import pytest

from memconsole.domain.agents import WARNING_CODES
from memconsole.domain.health import CHECK_IDS
from tests.contract.calls import CALLS, NO_ANSWER, every_command
from tests.contract.desk import Desk
from tests.contract.shape import comparable
from tests.program import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Json = Any
"""What a test reads out of JSON."""

GOLDEN = ROOT / "tests" / "contract" / "golden"
PAGE = ROOT / "docs" / "contract.md"

pytestmark = pytest.mark.xdist_group("contract")
"""One home and one call of each command serve all tests."""


def golden_file(command: str) -> Path:
    return GOLDEN / f"{command.replace(' ', '-')}.json"


def golden(command: str) -> Json:
    return json.loads(golden_file(command).read_text("utf-8"))


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Json]]:
    """The golden form of what each command says now."""
    with pytest.MonkeyPatch.context() as patch:
        found = Desk(tmp_path_factory.mktemp("operator"), patch).answers()
        if os.environ.get("GOLDEN_UPDATE"):
            for command, one in found.items():
                text = json.dumps(one, indent=2, ensure_ascii=False)
                golden_file(command).write_text(text + "\n", encoding="utf-8")
        yield found


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text("utf-8")


def test_every_command_of_the_table_is_called_and_has_its_example() -> None:
    assert sorted(CALLS) == sorted(every_command())
    assert {path.name for path in GOLDEN.iterdir()} == {golden_file(one).name for one in CALLS}


@pytest.mark.parametrize("command", CALLS)
def test_the_answer_is_that_of_the_golden_example(command: str, answers: dict[str, Json]) -> None:
    assert comparable(answers[command]) == comparable(golden(command))


def test_no_example_is_the_answer_of_a_call_that_failed() -> None:
    assert [one for one in CALLS if "data" not in golden(one)] == []


@pytest.mark.parametrize("command", [*CALLS, *NO_ANSWER])
def test_the_page_has_a_heading_for_every_command(command: str, page: str) -> None:
    assert f"\n### `{command}`" in page


@pytest.mark.parametrize("command", CALLS)
def test_the_page_links_the_example_and_names_its_fields(command: str, page: str) -> None:
    assert f"(../tests/contract/golden/{golden_file(command).name})" in page
    named = set(re.findall(r"`([^`\s]+)`", page))
    assert sorted(fields(golden(command)) - named) == []


@pytest.mark.parametrize("words", [WARNING_CODES, CHECK_IDS], ids=["warnings", "checks"])
def test_the_page_names_every_code(words: tuple[str, ...], page: str) -> None:
    assert [one for one in words if f"`{one}`" not in page] == []


def fields(value: Json) -> set[str]:
    """Return the names of all fields in an answer; the eight markers are data."""
    if isinstance(value, list):
        return {name for one in value for name in fields(one)}
    if isinstance(value, dict):
        inner = {name for one in value.values() for name in fields(one)}
        return {name for name in value if not name.isupper()} | inner
    return set()
