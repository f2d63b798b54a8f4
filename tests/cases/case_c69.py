"""c69: TZ with quotes around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.registry import action, expects

if TYPE_CHECKING:
    from tests.cases.stage import Stage
    from tests.program import Answer, Json

RULES = (":Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3")


def calls(stage: Stage, more: dict[str, str] | None = None) -> list[Answer]:
    """Run the four commands of the case."""
    commands = (("checkpoint", "--agent", "main"), ("health",), ("config", "check"), ("status",))
    return [stage.run(*command, more=more) for command in commands]


@action("c69.1", "checkpoint main; health; config check; status")
def with_quotes(stage: Stage) -> tuple[Stage, list[Answer]]:
    return stage, calls(stage)


@expects("c69.1", "one_of_them_says", says="TZ names no zone, UTC is used")
def says_so(seen: tuple[Stage, list[Answer]], want: Json) -> None:
    stage, answers = seen
    checkpoint, _, _, status = answers
    for answer in (checkpoint, status):
        [warning] = [row for row in answer.warnings if row["code"] == "time-zone-unknown"]
        assert want in warning["message"]
        assert '"Europe/Berlin"' in warning["message"]
        assert "`timezone`" in warning["message"]
    assert (stage.workspace / "memory" / "2026-04-12.md").is_file()


@action("c69.2", "the same with TZ=:Europe/Berlin and with TZ=CET-1CEST,M3.5.0,M10.5.0/3")
def by_rules(stage: Stage) -> list[tuple[list[Answer], list[str]]]:
    found = []
    for number, zone in enumerate(RULES):
        state = {"XDG_STATE_HOME": str(stage.folder / f"state{number}")}
        answers = calls(stage, {"TZ": zone, **state})
        days = (stage.workspace / "memory").glob("2026-*.md")
        found.append((answers, [day.name for day in days]))
        for day in (stage.workspace / "memory").iterdir():
            day.unlink()
    return found


@expects("c69.2", "says", says="nothing about TZ")
def says_nothing(seen: list[tuple[list[Answer], list[str]]], want: Json) -> None:
    for answers, _ in seen:
        for answer in answers:
            assert "TZ" not in answer.out + answer.err


@expects("c69.2", "daily_file")
def of_the_next_day(seen: list[tuple[list[Answer], list[str]]], want: Json) -> None:
    assert [days for _, days in seen] == [[want], [want]]
