"""Which observations a starting session is given, and in what order and shape."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.bootstrap import LineChoice, Why
from memconsole.domain.memory.observation_log import parse
from memconsole.domain.memory.observations import Observation, ObservationLog, new_log

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memconsole.domain.bootstrap import ChosenLines

TODAY = date(2026, 1, 26)
FILLER = "we talked about the weather and the lunch and the weather again"
ROOM = 1_000


def line(text: str, *, importance: float = 3.0, kind: str = "fact", about: str = "") -> str:
    said = f" dc:date={about}" if about else ""
    return f"- 🟡 14:05 {text} <!-- dc:type={kind} dc:importance={importance}{said} mc:id=o-1 -->"


def log_of(days: dict[str, Iterable[str]], *, above: str = "") -> ObservationLog:
    parts = [new_log().text, above, "\n"]
    for day, lines in days.items():
        parts += [f"Date: {day}\n\n", *(f"{one}\n" for one in lines), "\n"]
    return parse("".join(parts))


def old_days(count: int, *, first: date = date(2025, 6, 1)) -> dict[str, Iterable[str]]:
    days = (first + timedelta(days=number) for number in range(count))
    return {str(day): [line(f"{FILLER} {day}")] for day in days}


def given(days: dict[str, Iterable[str]], room: int = ROOM, *, above: str = "") -> ChosenLines:
    return LineChoice(log_of(days, above=above), TODAY).within(room)


def test_what_fits_is_given_whole_without_comments_and_without_a_word_about_the_rest() -> None:
    found = given({"2026-01-20": [line("Chose REST")]}, above="Prose <!-- for programs -->.\n")
    assert found.is_whole
    assert "Date: 2026-01-20\n\n- 🟡 14:05 Chose REST" in found.text
    assert "Prose ." in found.text
    assert "<!--" not in found.text
    assert "more observation" not in found.text


def test_the_newest_days_are_given_though_the_oldest_would_fill_the_room() -> None:
    days = {**old_days(60), "2026-01-25": [line("Rotterdam got the contract", importance=1.0)]}
    found = given(days)
    assert "Date: 2026-01-25\n\n- 🟡 14:05 Rotterdam got the contract" in found.text
    assert len(found.text) <= ROOM
    assert found.whole_chars > ROOM


@pytest.mark.parametrize(
    "kept",
    [
        line(r"\[TODO\] water the plants", importance=0.0),
        line("The fair opens", importance=0.0, about="2026-03-01"),
        line("Answer in German", importance=0.0, kind="rule"),
    ],
)
def test_what_is_open_is_given_before_what_is_worth_more(kept: str) -> None:
    rich = [line(f"Zeppelin{n} Quokka{n} Rotterdam{n}", importance=9.0) for n in range(60)]
    found = given({"2025-06-01": [kept], "2025-06-02": rich})
    assert kept.partition(" <!--")[0] in found.text


def test_a_flood_of_rules_leaves_room_for_the_rest() -> None:
    rules = [line(f"Always greet guest {n} kindly", kind="rule") for n in range(200)]
    found = given({"2025-06-01": [*rules, line("Quokka Zeppelin", importance=9.0)]})
    assert "Quokka Zeppelin" in found.text
    assert found.text.count("Always greet") > 3


def test_the_last_days_take_a_third_before_all_compete() -> None:
    today = [line(f"{FILLER} {n}", importance=0.0) for n in range(60)]
    rich = [line(f"Zeppelin{n} Quokka{n} Rotterdam{n}", importance=9.0) for n in range(60)]
    found = given({"2025-06-01": rich, str(TODAY): today})
    of_today = sum(len(one) + 1 for one in found.text.splitlines() if FILLER in one)
    assert 0 < of_today <= ROOM // 3
    assert found.text.count("Zeppelin") > 5


def test_of_the_rest_the_rare_the_important_and_the_short_is_given() -> None:
    days = old_days(60)
    days["2025-12-01"] = [line("Quokka", importance=3.0)]
    days["2025-12-02"] = [line(f"{FILLER} at ten", importance=9.0)]
    found = given(days)
    assert "Quokka" in found.text
    assert "at ten" in found.text


def test_a_line_that_does_not_fit_is_skipped_and_a_shorter_one_taken() -> None:
    long = line("Zeppelin " + " ".join(f"quokka{n}" for n in range(200)), importance=10.0)
    found = given({"2025-06-01": [long, *[line(f"Tea {n}", importance=1.0) for n in range(9)]]})
    assert "Zeppelin" not in found.text
    assert found.text.count("Tea") == 9
    assert "[1 more observation in memory/observations.md: search once for each part" in found.text


def test_lines_stand_in_the_order_of_the_file_under_their_days_and_empty_days_are_gone() -> None:
    days = {
        "2025-06-01": [line("Zeppelin first", importance=5.0)],
        **old_days(60, first=date(2025, 7, 1)),
        "2025-12-01": [line("Quokka last", importance=9.0)],
    }
    text = given(days).text
    assert text.index("Date: 2025-06-01") < text.index("Zeppelin first")
    assert text.index("Zeppelin first") < text.index("Date: 2025-12-01") < text.index("Quokka last")
    blocks = [block.strip() for block in text.split("Date: ")[1:]]
    assert all("- 🟡" in block for block in blocks)


def test_the_last_line_counts_what_is_left_out_and_says_where_it_stands() -> None:
    found = given(old_days(60))
    assert found.of == 60
    shown = found.text.count("- 🟡")
    assert shown == found.observations
    assert found.text.splitlines()[-1] == (
        f"[{60 - shown} more observations in memory/observations.md: search once for each part of "
        "a question (memory_search)]"
    )


def test_a_line_without_its_parent_stands_alone_and_names_its_own_day() -> None:
    parent = line("Zeppelin " + " ".join(f"quokka{n}" for n in range(200)))
    child = f"  {line('Rotterdam got it', importance=9.0, about='2025-05-01')}"
    found = given({"2025-06-01": [parent, child]})
    assert "\n- 🟡 14:05 Rotterdam got it (2025-05-01)\n" in found.text


def test_prose_of_other_hands_stays_and_takes_a_half_at_most() -> None:
    prose = "".join(f"A line of the operator, number {n}.\n" for n in range(200))
    found = given({"2025-06-01": [line("Quokka")] * 5}, above=prose)
    assert "A line of the operator, number 0." in found.text
    assert found.text.count("Quokka") == 5
    assert found.prose > 100
    assert f"[{found.prose} other lines in memory/observations.md: " in found.text
    assert len(found.text) <= ROOM


@pytest.mark.parametrize("room", [200, 333, 1_000, 5_000])
def test_the_room_is_kept_and_used(room: int) -> None:
    found = given(old_days(120), room)
    assert len(found.text) <= room
    assert room < 400 or len(found.text) > 0.8 * room


def test_every_observation_says_what_it_is_worth_and_whether_it_is_given() -> None:
    days = {
        "2025-05-01": [line(r"\[TODO\] water the plants", importance=0.0)],
        "2025-05-02": [line("never move seedlings at noon", kind="rule")],
        "2025-05-03": [line("the dentist (2031-02-03)", about="2031-02-03")],
        **old_days(60),
        str(TODAY): [line("Quokka today")],
    }
    choice = LineChoice(log_of(days), TODAY)
    found = choice.within(ROOM)

    lines = choice.weighed(found)

    assert len(lines) == found.of == 64
    assert sum(one.is_taken for one in lines) == found.observations
    assert all((one.text in found.text) == one.is_taken for one in lines if "Quokka" in one.text)
    said = {one.text: one for one in lines}
    assert next(one for text, one in said.items() if "TODO" in text).why is Why.OPEN
    assert next(one for text, one in said.items() if "dentist" in text).why is Why.AHEAD
    assert next(one for text, one in said.items() if "seedlings" in text).why is Why.RULE
    today = next(one for text, one in said.items() if "Quokka" in text)
    assert (today.why, today.day, today.is_taken) == (Why.RECENT, TODAY, True)
    others = [one for text, one in said.items() if FILLER in text]
    assert {one.why for one in others if one.is_taken} == {Why.VALUE}
    assert {one.why for one in others if not one.is_taken} == {Why.ROOM}  # all are worth the same
    assert all(one.value for one in lines)


def test_of_a_file_that_fits_every_line_is_given() -> None:
    choice = LineChoice(log_of({"2026-01-20": [line("Chose REST")]}), TODAY)
    [only] = choice.weighed(choice.within(ROOM))
    assert only.is_taken


def test_what_a_newer_line_corrects_is_neither_given_nor_counted() -> None:
    old = line("The dentist expects us on Friday").replace("mc:id=o-1", "mc:id=o-7")
    new = line("No, on Thursday").replace("mc:id=o-1", "mc:id=o-8 mc:corrects=o-7")
    choice = LineChoice(log_of({"2026-01-20": [old], "2026-01-21": [new]}), TODAY)
    found = choice.within(ROOM)
    assert "Thursday" in found.text
    assert "Friday" not in found.text
    assert (found.observations, found.of, found.is_whole) == (1, 1, True)
    told = [(one.why, one.is_taken, one.value is None) for one in choice.weighed(found)]
    assert told[1:] == [(Why.CORRECTED, False, True)]


def test_what_is_left_out_is_worth_less_or_too_long_for_the_room() -> None:
    rare = " ".join(f"Zeppelin{n}" for n in range(300))
    days = {"2025-05-01": [line(rare, importance=9.0)], **old_days(120)}
    choice = LineChoice(log_of(days), TODAY)
    long, *others = choice.weighed(choice.within(ROOM))
    least = min(one.value or 0.0 for one in others if one.is_taken)
    assert (long.why, long.is_taken) == (Why.ROOM, False)
    assert (long.value or 0.0) > least
    assert {one.why for one in others if (one.value or 0.0) < least} <= {Why.VALUE}


def test_a_line_that_names_itself_hides_nothing() -> None:
    odd = line("No, on Thursday").replace("mc:id=o-1", "mc:id=o-8 mc:corrects=o-8")
    assert "Thursday" in given({"2026-01-21": [odd]}).text


def test_what_a_large_file_corrects_is_gathered_once_and_not_once_a_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Observation] = []
    log = log_of(old_days(60))

    def corrects(one: Observation) -> tuple[str, ...]:
        asked.append(one)
        return ()

    monkeypatch.setattr(Observation, "corrects", property(corrects))
    LineChoice(log, TODAY)
    assert 0 < len(asked) <= 2 * len(log.observations)
