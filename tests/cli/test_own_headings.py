"""Headings and markers of the operator's own, from the configuration to what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memconsole.config.load import load
from memconsole.domain.memory.categories import CATEGORIES, category_of, with_own
from memconsole.domain.settings.headings import CategoryRule
from tests.program import Program

if TYPE_CHECKING:
    from pathlib import Path

CONFIG = """\
[[index_md.category]]
name = "Customers"
patterns = ["customer-*"]
emoji = "🤝"

[[index_md.category]]
name = "research reports"
patterns = ["study-*"]

[markers]
extra = ["RISK"]
"""


def test_own_rows_come_first_and_take_the_place_of_usual_ones() -> None:
    own = (CategoryRule("Mine", "x", ("plan-*",)), CategoryRule("research reports", "y", ("s-*",)))
    table = with_own(own)
    assert table[0] == own[0]
    assert len(table) == len(CATEGORIES) + 1
    assert category_of("memory/plan-1.md", table).name == "Mine"
    assert category_of("memory/s-1.md", table).emoji == "y"
    assert category_of("memory/research-1.md", table).name == "Other"
    assert table[-1].name == "Other"


def test_they_are_shown_counted_and_listed(tmp_path: Path) -> None:
    memory = tmp_path / ".openclaw" / "workspace" / "memory"
    memory.mkdir(parents=True)
    (tmp_path / ".openclaw" / "openclaw.json").write_text("{}")
    (memory / "customer-a.md").write_text("# Customer A\n- [RISK] may leave\n- [FACT] large\n")
    (memory / "study-b.md").write_text("# Study B\n")
    (memory / "research-c.md").write_text("# C\n")
    (tmp_path / ".config" / "memconsole").mkdir(parents=True)
    (tmp_path / ".config" / "memconsole" / "config.toml").write_text(CONFIG)
    run = Program({"HOME": str(tmp_path), "MEMCONSOLE_TRANSPORT": "none"})

    [row] = run.json("markers", "risk").data
    [pool] = run.json("memory", "pool").data
    added = run.json("memory", "add", "prices rise", "--type", "RISK")
    assert run.json("index-md", "--force").code == 0
    index = (memory / "INDEX.md").read_text()

    assert (row["tag"], row["path"], row["line"]) == ("RISK", "memory/customer-a.md", 2)
    assert pool["markers"]["RISK"] == 1
    assert {one["name"] for one in pool["by_category"]} == {
        "Customers",
        "research reports",
        "Other",
    }
    assert added.code == 0
    assert "### 🤝 Customers\n_Files that the operator's configuration puts here_\n" in index
    assert "### 🗂️ research reports" in index
    assert "1[RISK]" in index
    assert run.json("markers", "IDEA").code == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[index_md.category]]\nname = "x"', "number 1: patterns must be a list of texts"),
        ('[[index_md.category]]\npatterns = ["x"]', "number 1 needs a name"),
        ('[[index_md.category]]\nname = "x"\npatterns = ["a"]\ncolour = 1', "unknown key"),
        ('[index_md]\ncategory = "x"', "list of tables"),
        ('[markers]\nextra = ["risk"]', "words in capitals"),
        ("[markers]\nextra = 3", "list of words in capitals"),
    ],
)
def test_what_is_wrong_is_named(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(text)
    [fault] = load({"HOME": str(tmp_path)}, file=tmp_path / "config.toml").faults
    assert words in str(fault)
