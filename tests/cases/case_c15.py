"""c15: the daily log belongs to the user's calendar day."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from tests.cases.registry import action, expects

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cases.stage import Stage
    from tests.program import Json

ACTIONS = {
    "c15.1": "checkpoint main (shanghai: HOME=shanghai/home, TZ=Asia/Shanghai, "
    "NOW=2026-04-11T19:53:00Z)",
    "c15.2": "checkpoint main (los-angeles: HOME=los-angeles/home, TZ=America/Los_Angeles, "
    "NOW=2026-03-15T01:17:00Z)",
    "c15.3": "checkpoint main (user-zone: HOME=user-zone/home, TZ=UTC, NOW=2026-04-11T16:30:00Z)",
    "c15.4": "checkpoint main (kathmandu: HOME=kathmandu/home, TZ=Asia/Kathmandu, "
    "NOW=2026-04-11T18:20:00Z)",
    "c15.5": "checkpoint main (one-second-before: HOME=one-second-before/home, "
    "TZ=Europe/Berlin, NOW=2026-04-11T21:59:59Z)",
}


def register(check: str, sentence: str) -> None:
    name = sentence.partition("(")[2].partition(":")[0]

    @action(check, sentence)
    def checkpoint(stage: Stage) -> Path:
        variants = json.loads((stage.folder / "variants.json").read_text("utf-8"))
        [variant] = [one for one in variants if one["variant"] == name]
        own = {
            f"MEMCONSOLE_{key.upper()}": value
            for key, value in variant.get("own_setting", {}).items()
        }

        copy = stage.variant(name, variant["env"])
        answer = copy.run_at_once("checkpoint", "--agent", "main", more=own)
        assert answer.row(agent="main")["status"] == "done"
        return copy.workspace

    @expects(check, "daily_file")
    def daily_file(seen: Path, want: Json) -> None:
        day = want.removeprefix("memory/").removesuffix(".md")
        assert (seen / want).read_text("utf-8").startswith(f"# main — {day}\n\n")

    @expects(check, "entry_time")
    def entry_time(seen: Path, want: Json) -> None:
        [daily] = daily_files(seen)
        text = daily.read_text("utf-8")
        assert re.findall(r"^### Checkpoint (.*) \(auto\)$", text, re.MULTILINE) == [want]

    @expects(check, "other_daily_files")
    def other_daily_files(seen: Path, want: Json) -> None:
        assert len(daily_files(seen)) - 1 == want


def daily_files(workspace: Path) -> list[Path]:
    return list((workspace / "memory").glob("20*.md"))


for _check, _sentence in ACTIONS.items():
    register(_check, _sentence)
