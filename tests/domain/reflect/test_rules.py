"""Consolidation of observations: each step, and that nothing is lost."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.memory.observation_log import add, parse
from memconsole.domain.memory.observations import (
    CORRECTS,
    Kind,
    Observation,
    ObservationLog,
    Priority,
    observation_id,
    render,
)
from memconsole.domain.reflect.gate import judge, unwrapped
from memconsole.domain.reflect.rules import Reflection, changes, consolidate, lost, reduction
from memconsole.text.estimate import tokens_for, tokens_in, words_in

if TYPE_CHECKING:
    from collections.abc import Sequence

TODAY = date(2026, 3, 14)
SMALL = ("tea was made", "printer ran dry", "somebody watered oak trees")
ROOMY = 3_750
"""Words that none of these files comes to, but where it says so."""

HIGH, MEDIUM, LOW = Priority.HIGH, Priority.MEDIUM, Priority.LOW


def said(
    text: str,
    ago: int = 0,
    *,
    priority: Priority = MEDIUM,
    kind: Kind = Kind.FACT,
    **more: object,
) -> Observation:
    made = Observation(
        priority, text, TODAY - timedelta(days=ago), "14:05", kind, id=observation_id(text)
    )
    return made if not more else Observation(**{**_values(made), **more})  # type: ignore[arg-type]


def _values(one: Observation) -> dict[str, object]:
    return {name: getattr(one, name) for name in Observation.__dataclass_fields__}


def log_of(*observations: Observation) -> ObservationLog:
    return add(ObservationLog(), observations)


def run(*observations: Observation, words: int = ROOMY, least: float = 0.0) -> Reflection:
    return consolidate(log_of(*observations), TODAY, similar=90, words=words, least=least)


def texts(found: Reflection) -> list[str]:
    return [one.text for one in found.log.observations]


def reasons(found: Reflection) -> list[str]:
    return [one.because.partition(":")[0] for one in found.removed]


class TestMerging:
    def test_repeated_lines_become_one_with_the_highest_priority_and_a_count(self) -> None:
        found = run(
            said("The staging host moved to rack two", 5, priority=HIGH),
            said("The staging host moved to rack two.", 1),
        )
        [kept] = found.log.observations
        assert (kept.text, kept.priority) == ("The staging host moved to rack two.", HIGH)
        assert (kept.note("mc:times"), kept.refers_to) == ("2", TODAY - timedelta(days=5))
        assert reasons(found) == ["duplicate-of"]

    def test_alike_lines_of_one_kind_become_the_newer(self) -> None:
        found = run(
            said("The nightly backup of the replica runs at the second rack", 4),
            said("The nightly backup of the replica runs in the second rack", 1),
        )
        assert texts(found) == ["The nightly backup of the replica runs in the second rack"]
        assert reasons(found) == ["similar-to"]

    @pytest.mark.parametrize(
        ("older", "newer", "because"),
        [
            ("Use port 8080 for the label service", "Use port 9090 for the label service", True),
            (
                "For the cache of the label service use the SQLite file on the second disk",
                "For the cache of the label service do not use the SQLite file on the second disk",
                True,
            ),
            ("Chose REST over GraphQL for it", "Chose GraphQL over REST for it", True),
            ("Rule 8: two keys for service 8 here", "Rule 16: two keys for service 16 here", False),
            ("Ada approved the release of the app", "Bob approved the release of the app", False),
        ],
    )
    def test_what_contradicts_supersedes_and_is_never_merged(
        self, older: str, newer: str, because: bool
    ) -> None:
        found = run(said(older, 6), said(newer, 1))
        assert texts(found) == ([newer] if because else [older, newer])
        assert reasons(found) == (["superseded-by"] if because else [])

    def test_a_contradicted_red_line_stays_and_both_are_marked(self) -> None:
        found = run(
            said("Never deploy service 8 on a Friday", 9, priority=HIGH),
            said("Never deploy service 9 on a Friday", 1, priority=HIGH),
        )
        assert len(texts(found)) == 2
        [conflict] = found.conflicts
        assert conflict.guards == ("numbers",)
        assert [bool(one.note("mc:conflict")) for one in found.log.observations] == [True, True]

    @pytest.mark.parametrize("priority", [MEDIUM, LOW])
    def test_a_line_that_corrects_an_older_one_takes_its_place(self, priority: Priority) -> None:
        old = said("The dentist expects us on Friday", 3, priority=priority)
        new = said("No, on Thursday", 1, extra=(f"{CORRECTS}={old.id}",))
        found = run(old, new)
        assert texts(found) == ["No, on Thursday"]
        assert reasons(found) == ["superseded-by"]

    def test_a_red_line_that_is_corrected_stays_and_both_are_marked(self) -> None:
        old = said("The dentist expects us on Friday", 3, priority=HIGH)
        new = said("No, on Thursday", 1, extra=(f"{CORRECTS}={old.id}",))
        found = run(old, new)
        assert texts(found) == [old.text, new.text]
        assert [one.guards for one in found.conflicts] == [("correction",)]
        assert texts(run(*found.log.observations)) == [old.text, new.text]

    def test_events_happen_again(self) -> None:
        found = run(
            said("Deployed version 4.2 of the app", 6, kind=Kind.EVENT),
            said("Deployed version 4.3 of the app", 1, kind=Kind.EVENT),
        )
        assert len(texts(found)) == 2


def remarks(count: int, ago: int = 30) -> list[Observation]:
    """Remarks of eight words each, the later the more important."""
    return [
        said(f"Remark {n} about rack r{n} in hall h{n}", ago, importance=1 + n / count)
        for n in range(count)
    ]


class TestRoom:
    @pytest.mark.parametrize("priority", [MEDIUM, LOW])
    @pytest.mark.parametrize("kind", list(Kind))
    def test_nothing_goes_for_its_age_alone(self, kind: Kind, priority: Priority) -> None:
        old = said("The deploy was late", 900, kind=kind, priority=priority)
        assert texts(run(old)) == ["The deploy was late"]

    def test_what_is_worth_least_goes_until_the_file_has_its_size(self) -> None:
        items = remarks(30)
        found = run(*items, words=150)
        kept = texts(found)
        assert kept == [one.text for one in items[-len(kept) :]]
        assert reasons(found) == ["least-value"] * (30 - len(kept))
        one_more = log_of(*items[-len(kept) - 1 :])
        assert words_in(found.log.text) <= 150 < words_in(one_more.text)

    def test_rare_words_are_worth_more_than_common_ones_and_short_lines_more_than_long(
        self,
    ) -> None:
        common = [said(f"The weekly meeting of team {n} took place again", 9) for n in range(9)]
        rare = said("Kestrel needs glibc 2.38 and libzstd", 90, priority=LOW)
        wordy = said("The weekly meeting of team 3 took place again " + "and so on " * 20, 9)
        kept = texts(run(*common, rare, wordy, words=60))
        assert rare.text in kept
        assert wordy.text not in kept
        assert len(kept) < 8

    def test_languages_without_blanks_come_down_to_the_tokens_of_the_words(self) -> None:
        long = [said("\u6539\u7528\u673a\u67b6" * 12 + str(n), 30) for n in range(10)]
        found = run(*long, words=200)
        assert 0 < len(texts(found)) < 10
        assert tokens_in(found.log.text) <= tokens_for(200)

    @pytest.mark.parametrize(
        "one",
        [
            said("Two keys for every deployment", 900, kind=Kind.RULE, importance=0.1),
            said("Two keys, please", 900, kind=Kind.RULE, priority=LOW, importance=0.1),
            said("The key is in the safe", 900, priority=HIGH, importance=0.1),
            said("[TODO] renew the certificate", 400, priority=LOW, importance=0.1),
            said(r"\[TODO] renew it soon", 400, priority=LOW, importance=0.1),
            said("Then is the review", 400, refers_to=TODAY + timedelta(days=1), importance=0.1),
        ],
        ids=["rule", "small rule", "red", "open task", "quoted open task", "plan"],
    )
    def test_what_never_goes_stays_however_little_it_is_worth(self, one: Observation) -> None:
        found = run(one, *remarks(30), words=100)
        assert one.text in texts(found)
        assert len(texts(found)) < 20

    def test_what_was_said_in_the_last_days_goes_last(self) -> None:
        new = remarks(5, ago=2)
        old = [said(f"The lease of hall x{n} ends at n{n}", 3, importance=5) for n in range(20)]
        kept = texts(run(*new, *old, words=100))
        assert {one.text for one in new} < set(kept)
        assert len(texts(run(*remarks(30, ago=1), words=100))) < 15

    def test_rules_leave_half_of_the_room_to_the_rest(self) -> None:
        rules = [
            said(f"Rule {n} holds for host h{n} in room r{n}", 90, kind=Kind.RULE)
            for n in range(60)
        ]
        kept = texts(run(*rules, *remarks(60), words=200))
        assert {one.text for one in rules} < set(kept)
        free = [text for text in kept if text.startswith("Remark")]
        assert 80 <= sum(len(text.split()) + 3 for text in free) <= 100


class TestFolding:
    """Days fold only for what does not fit though all has gone that may: under many rules."""

    RULES = tuple(
        said(f"Rule {n} holds for host h{n} in room r{n}", 90, kind=Kind.RULE) for n in range(60)
    )

    def found(self, *small: Observation) -> Reflection:
        found = run(*self.RULES, *small, words=200)
        assert len(texts(found)) > len(self.RULES)
        return found

    def small(self, found: Reflection) -> list[Observation]:
        return [one for one in found.log.observations if one.kind is not Kind.RULE]

    def test_small_things_of_a_past_day_fold_into_one_line(self) -> None:
        found = self.found(*(said(text, 3, priority=LOW) for text in SMALL))
        [kept] = self.small(found)
        assert kept.text == "; ".join(SMALL)
        assert reasons(found) == ["folded-into"] * 3
        assert kept.note("mc:folded") == "3"

    def test_where_all_fits_nothing_is_folded(self) -> None:
        assert len(texts(run(*(said(text, 3, priority=LOW) for text in SMALL)))) == 3

    def test_a_folded_line_says_how_much_it_leaves_out(self) -> None:
        many = [said(f"Looked at {word * 60}", 3, priority=LOW) for word in "abcdef"]
        [kept] = self.small(self.found(*many))
        assert len(kept.text) <= 200
        assert re.search(r"; \d more$", kept.text)

    def test_the_last_two_days_and_rules_stay_as_they_are(self) -> None:
        small = [said(text, 2, priority=LOW) for text in SMALL]
        rules = [replace(one, kind=Kind.RULE, day=TODAY - timedelta(days=3)) for one in small]
        assert len(self.small(self.found(*small))) == 3
        assert len(texts(run(*self.RULES, *rules, words=200))) == len(self.RULES) + 3

    def test_lines_on_one_topic_stand_under_the_newest(self) -> None:
        found = run(
            said("The Kestrel importer drops rows", 20),
            said("Rows come back when Kestrel restarts", 12),
            said("Moved Kestrel to the new host", 2),
            *(said(text, 5) for text in SMALL),
        )
        group = [one for one in found.log.observations if "Kestrel" in one.text]
        assert [one.is_child for one in group] == [False, True, True]
        assert group[0].text == "Moved Kestrel to the new host"
        assert group[1].refers_to == TODAY - timedelta(days=20)
        assert found.removed == ()


def test_prose_code_and_headings_of_others_stay_in_place() -> None:
    text = (
        "# Observations Log\n\nA sentence of mine.\n\nDate: 2026-03-01\n"
        "- 🟢 10:00 small and old\n- a bullet without a sign\n\n```\n- 🔴 in a fence\n```\n"
    )
    found = consolidate(parse(text), TODAY, similar=90, words=1)
    assert found.log.text == text.replace("- 🟢 10:00 small and old\n", "")


def test_a_day_without_lines_loses_its_heading() -> None:
    items = said("Small and old", 30, importance=1.0), said("The host is new", 1)
    found = run(*items, words=20)
    assert list(found.log.days) == [TODAY - timedelta(days=1)]


WORDS = st.sampled_from(
    ["use", "not", "port", "8080", "9090", "Ada", "Bob", "backup", "[TODO]", "v1.2", "rack", "no"]
)
WORDS_A_TO_Z = [first + "o" * length for length in range(3, 9) for first in "bcdfglmnprstvz"]
ITEMS = st.builds(
    lambda words, ago, priority, kind: said(" ".join(words), ago, priority=priority, kind=kind),
    st.lists(WORDS, min_size=1, max_size=7),
    st.integers(-3, 200),
    st.sampled_from(list(Priority)),
    st.sampled_from(list(Kind)),
)


@given(st.lists(ITEMS, max_size=14), st.integers(1, 60))
def test_it_is_idempotent_never_longer_and_loses_nothing(
    items: list[Observation], words: int
) -> None:
    log = log_of(*items)
    found = consolidate(log, TODAY, similar=90, words=words)
    again = consolidate(found.log, TODAY, similar=90, words=words)
    assert again.log.text == found.log.text
    assert words_in(found.log.text) <= words_in(log.text)
    there = {one.text for one in found.log.observations}
    archived = {one.observation.text for one in found.removed}
    assert {one.text for one in log.observations} <= there | archived
    if items:
        assert judge(log, found.log.text, TODAY, is_own=True).because == ""


def words_left(items: Sequence[Observation], least: float) -> float:
    found = run(*items, words=1, least=least)
    return words_in(found.log.text) / words_in(log_of(*items).text)


def test_a_tenth_stays_although_there_is_no_room_for_it() -> None:
    old = remarks(300)
    assert 0.1 <= words_left(old, 0.1) < 0.12
    assert words_left(old, 0.0) < 0.02
    kept = texts(run(*old, words=1, least=0.1))
    assert kept == [one.text for one in old[-len(kept) :]]


def test_a_tenth_stays_although_all_of_a_day_could_fold() -> None:
    small = [said(f"{word} was seen in hall {word}", 3, priority=LOW) for word in WORDS_A_TO_Z]
    assert words_left(small, 0.1) >= 0.1


def test_repeated_lines_are_no_loss() -> None:
    twenty = [said("The rack stands in hall two", ago) for ago in range(20)]
    assert texts(run(*twenty, words=1, least=0.1)) == [twenty[0].text]


class TestProtectedLines:
    """What a text from elsewhere, a model's too, may not do to a line that is kept for good."""

    RULE = said("Never push to the main branch without two reviews", 9, priority=HIGH)
    PLAN = said("The review of the 12 racks is on that day", 9, refers_to=TODAY + timedelta(days=3))
    TASK = said("[TODO] renew the certificate of the gateway", 9)
    OLD = log_of(
        RULE, PLAN, TASK, *(said(f"Filler line {n} with some words", 5) for n in range(20))
    )

    def verdict(self, old: Observation, new: Observation) -> str:
        text = self.OLD.text.replace(render(old), render(new))
        assert text != self.OLD.text
        return judge(self.OLD, text, TODAY).because

    @pytest.mark.parametrize(
        "new",
        [
            "Always push to the main branch without two reviews",
            "Never push to the main branch without 1 review",
            "Never push to the main branch",
            "Push to the main branch without two reviews",
            "Never pull to the main branch without two reviews",
        ],
    )
    def test_a_red_line_keeps_its_words_whatever_id_it_bears(self, new: str) -> None:
        because = self.verdict(self.RULE, replace(self.RULE, text=new))
        assert because.startswith("a 🔴 line was changed: Never push")
        assert new in because

    @pytest.mark.parametrize("softer", [MEDIUM, LOW])
    def test_a_red_line_keeps_its_sign(self, softer: Priority) -> None:
        because = self.verdict(self.RULE, replace(self.RULE, priority=softer))
        assert because.startswith("a 🔴 line was changed")

    def test_a_long_red_line_keeps_its_words_to_the_end(self) -> None:
        head = "Never push to the main branch " + "of the label service " * 5
        old = log_of(said(head + "while guests are here", 9, priority=HIGH))
        new = old.text.replace("while guests are here", "while no one is here")
        assert judge(old, new, TODAY).because.startswith("a 🔴 line was changed")

    @pytest.mark.parametrize(
        "new",
        [
            replace(PLAN, text="The review of the 13 racks is on that day"),
            replace(PLAN, refers_to=TODAY - timedelta(days=3)),
        ],
    )
    def test_a_plan_keeps_its_words_and_its_day(self, new: Observation) -> None:
        assert self.verdict(self.PLAN, new).startswith("a line with a future date was changed")

    def test_an_open_task_stays(self) -> None:
        done = replace(self.TASK, text="renewed the certificate of the gateway")
        assert self.verdict(self.TASK, done).startswith("a line with an open task was changed")

    def test_emphasis_escapes_and_a_stronger_sign_are_no_change(self) -> None:
        bold = replace(self.RULE, text="**Never** push to the `main` branch without two reviews")
        shorter = self.OLD.text.replace("Filler line 3 with some words", "Filler 3")
        changed = shorter.replace(render(self.RULE), render(bold))
        assert judge(self.OLD, changed, TODAY).because == ""
        assert self.verdict(self.TASK, replace(self.TASK, priority=HIGH)) == ""

    def test_our_own_consolidation_rewords_none(self) -> None:
        head = "Never push to the main branch " + "of the label service " * 5
        log = log_of(
            said(head + "while guests are here", 9, priority=HIGH),
            said(head + "while the guests are here", 1, priority=HIGH),
            said("The review of the racks is on that day", 9, refers_to=TODAY + timedelta(days=3)),
            said("The review of the rack is on that day", 1),
            said("[TODO] use port 8080 for the label service", 9),
            said("[TODO] use port 9090 for the label service", 1),
        )
        found = consolidate(log, TODAY, similar=90, words=ROOMY)
        assert judge(log, found.log.text, TODAY, is_own=True).because == ""
        assert len(found.log.observations) == 5
        assert ("numbers",) in [one.guards for one in found.conflicts]

    def test_a_reworded_line_that_may_go_is_archived_as_it_was(self) -> None:
        old = log_of(said("The rack stands in hall two", 9))
        new = parse(old.text.replace("hall two", "hall six"))
        assert [one.observation.text for one in lost(old, new)] == ["The rack stands in hall two"]


class TestGate:
    OLD = log_of(
        said("Two keys for every deployment", 9, priority=HIGH),
        said("The review is on that day", 9, refers_to=TODAY + timedelta(days=3)),
        *(said(f"Filler line number {n} with a few more words", 5) for n in range(12)),
    )

    def verdict(self, text: str, *, is_forced: bool = False) -> str:
        return judge(self.OLD, text, TODAY, is_forced=is_forced).because

    def test_the_same_text_passes(self) -> None:
        assert self.verdict(self.OLD.text) == ""

    @pytest.mark.parametrize(
        ("change", "because"),
        [
            ((".*", ""), "empty"),
            ((".*", " \n\n"), "empty"),
            ((".*", "I cannot help with that."), "title"),
            ((".*", "# Observations Log\n\nnothing\n"), "no observation"),
            (("keys", "keys\x1b[2J"), "control"),
            ((r" -->\n\Z", ""), "cut off"),
            ((r"\Z", "- 🟢 more and more and more\n"), "longer"),
            ((r"- 🟡 14:05 The review[^\n]*\n", ""), "future date is missing"),
            ((r"- 🔴[^\n]*\n", ""), "🔴 line is missing"),
        ],
    )
    def test_what_would_lose_something_is_rejected(
        self, change: tuple[str, str], because: str
    ) -> None:
        pattern, new = change
        changed = re.sub(pattern, new, self.OLD.text, count=1, flags=re.DOTALL)
        assert because in self.verdict(changed)

    def test_a_tenth_must_be_left_unless_forced(self) -> None:
        big = log_of(*(said(f"Filler line number {n} with a few more words", 5) for n in range(99)))
        small = log_of(said("Filler line", 5)).text
        assert "less than a tenth" in judge(big, small, TODAY).because
        assert judge(big, small, TODAY, is_forced=True).because == ""

    @pytest.mark.parametrize(
        "change",
        [(r"\A[^\n]*\n", "Mine.\n"), (r"\n\Z", ""), (r" -->\n\Z", ""), (r"keys", "keys\x07")],
        ids=["no title", "no line feed", "cut", "control character"],
    )
    def test_our_own_text_keeps_the_shape_that_hands_gave_the_file(
        self, change: tuple[str, str]
    ) -> None:
        by_hand = parse(re.sub(*change, self.OLD.text, count=1))

        assert judge(by_hand, by_hand.text, TODAY, is_own=True).because == ""
        assert judge(by_hand, by_hand.text, TODAY).because != ""
        assert judge(self.OLD, by_hand.text, TODAY, is_own=True).because != ""

    def test_an_answer_in_a_fence_is_taken_out_of_it(self) -> None:
        fenced = f"Here it is:\n\n```markdown\n{self.OLD.text}```\nAnything else?\n"
        assert unwrapped(fenced) == self.OLD.text
        assert self.verdict(fenced) == ""
        assert unwrapped("```\nsome code\n```\n") == "```\nsome code\n```\n"

    def test_what_a_text_from_elsewhere_left_out_is_named(self) -> None:
        new = log_of(said("Two keys for every deployment", 9, priority=HIGH))
        assert len(lost(self.OLD, new)) == 13
        assert next(changes(new, self.OLD)).startswith("+ 🟡")
        assert reduction(120, 60, lost(self.OLD, new)) == (
            "from 120 to 60 words (13 not in the new text)"
        )
