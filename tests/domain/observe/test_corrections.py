"""What people take back: the newer statement wins, however shortly it is said."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.calendar import resolve_zone
from memconsole.domain.memory.observation_log import add
from memconsole.domain.memory.observations import CORRECTS, Observation, ObservationLog
from memconsole.domain.observe.corrections import is_joke
from memconsole.domain.observe.rules import Observer, Part
from memconsole.domain.transcripts.records import Message, MessageKind

if TYPE_CHECKING:
    from collections.abc import Mapping

MONDAY = datetime(2026, 4, 6, 9, tzinfo=UTC)
SESSION, LATER, STRANGER = "aaaaaaaa-1", "bbbbbbbb-2", "cccccccc-3"
KEYS = {"main/aaaaaaaa": "agent:main:main", "main/bbbbbbbb": "agent:main:main"}


def heard(
    *texts: str,
    log: ObservationLog | None = None,
    session: str = SESSION,
    days: int = 0,
    keys: Mapping[str, str] = KEYS,
) -> tuple[Observation, ...]:
    """Return the new lines of what was said; `> ` begins what the agent said."""
    at = MONDAY + timedelta(days=days)
    messages = tuple(
        Message(
            MessageKind.MESSAGE,
            text.removeprefix("> "),
            id=f"{place}",
            at=at + timedelta(minutes=place),
            role="assistant" if text.startswith("> ") else "user",
            position=place,
        )
        for place, text in enumerate(texts)
    )
    zone = resolve_zone("UTC", None).zone
    observer = Observer("main", lambda text: text, zone, at, keys=lambda: keys)
    return observer.extract([Part(session, messages)], log or ObservationLog()).observations


@pytest.mark.parametrize(
    ("said", "corrected"),
    [
        ("The dentist is on Friday at ten.", "no wait, Thursday"),
        ("The dentist is on Friday at ten.", "Wait no, it's Thursday!"),
        ("The dentist is on Friday at ten.", "sorry, I meant Thursday"),
        ("The dentist is on Friday at ten.", "oh, make that Thursday"),
        ("The dentist is on Friday at ten.", "*thursday"),
        ("The dentist is on Friday at ten.", "actually not Friday, Thursday"),
        ("Lunch with Marta is at 12:30 in the harbour", "no, make it 13:15"),
        ("We booked flights to Lisbon for Anna and me.", "not Lisbon, Porto"),
        ("The invoice for Okapi comes to 780 euros", "correction: 870"),
        ("The gateway listens on port 8080 of web-3.", "my mistake, port 9090"),
        ("Ada has been on call since last week.", "no wait, Bob is on call"),
        ("Der Termin beim Zahnarzt ist am Freitag um zehn.", "nein warte, Donnerstag"),
        ("La reunión con Marta en Lisboa es el martes.", "perdón, el jueves"),
        ("Mum's birthday is 12 May btw", "sorry, 13 May"),
        ("My flight to Porto is at 9:40", "nope 10:40"),
        ("Meeting with Kim about Okapi tue 10am", "actually wed"),
    ],
)
@pytest.mark.parametrize("between", [(), ("> Noted.",)])
def test_a_correction_stands_in_one_line_with_what_it_corrects(
    said: str, corrected: str, between: tuple[str, ...]
) -> None:
    [line] = heard(said, *between, corrected)
    first, _, last = line.text.partition(" \N{EM DASH} ")
    assert first.startswith(said.split(maxsplit=1)[0])
    assert last.removeprefix("\\").startswith(corrected)


@pytest.mark.parametrize(
    ("said", "corrected"),
    [
        (
            "The invoice for Okapi is 780 euros",
            "Actually the invoice for Okapi is due on Friday and comes to 870 euros.",
        ),
        ("Our train to Hamburg leaves at 16:42", "No wait, the train leaves at 16:12, platform 5."),
    ],
)
def test_a_correction_that_says_it_all_takes_the_place_of_what_it_corrects(
    said: str, corrected: str
) -> None:
    [line] = heard(said, corrected)
    assert said not in line.text
    assert line.text.startswith(corrected[:20])


def test_the_line_is_about_the_day_of_the_correction() -> None:
    [line] = heard("The dentist is on Friday at ten.", "no wait, Thursday")
    assert line.refers_to == date(2026, 4, 9)
    assert line.text.endswith("Thursday (2026-04-09)")


def test_a_correction_of_a_correction_leaves_the_last_one_at_the_end() -> None:
    [line] = heard("The dentist is on Friday at ten.", "no wait, Thursday", "oh no sorry, Tuesday")
    assert line.text.partition(" (2026-04-07)")[0].endswith("oh no sorry, Tuesday")
    assert line.refers_to == date(2026, 4, 7)


def test_what_the_agent_repeated_of_it_goes_too() -> None:
    [line] = heard(
        "dentist friday 3pm, remind me",
        "> Noted: dentist on Friday at 15:00.",
        "no wait, Thursday",
    )
    assert line.text.endswith("no wait, Thursday (2026-04-09)")


@pytest.mark.parametrize(
    "talk",
    [
        ("The dentist is on Friday at ten.", "no wait, Thursday"),
        ("dentist friday 3pm", "> Noted: dentist on Friday at 15:00.", "no wait, Thursday"),
        ("> Which port should staging use?", "5544", "make that 5545"),
    ],
)
def test_what_an_earlier_run_wrote_of_it_is_named(talk: tuple[str, ...]) -> None:
    log = add(ObservationLog(), heard(*talk[:-1]))
    log = add(log, heard(*talk, log=log))
    *older, newest = log.observations
    assert log.corrected == {one.id for one in older}
    assert newest.text.count("\N{EM DASH}") >= 1


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("Which port should the staging database use?", "5544"),
        ("Did you decide on the hosting provider?", "yep, Hetzner. cheaper"),
        ("Should I use Postgres or MySQL?", "postgres"),
        ("Do you prefer tea or coffee?", "tea, always"),
    ],
)
def test_what_an_agent_asked_is_kept_with_its_answer(asked: str, answered: str) -> None:
    [line] = heard(f"> {asked}", answered)
    assert line.text == f"{asked} \N{EM DASH} {answered}"


def test_an_answer_that_is_taken_back_ends_with_the_newer_one() -> None:
    [line] = heard("> Which port should staging use?", "5544", "> Noted.", "nah make it 5545")
    assert line.text.endswith("\N{EM DASH} 5544 \N{EM DASH} nah make it 5545")


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("Anything else?", "the flaky tests please"),
        ("Shall I continue?", "yes with the tests"),
        ("Should I deploy to eu-west-1?", "yes please"),
        ("Where should the backups go?", "no idea"),
        ("Which file is broken?", "which do you mean?"),
    ],
)
def test_what_decides_nothing_is_not_remembered(asked: str, answered: str) -> None:
    assert heard(f"> {asked}", answered) == ()


@pytest.mark.parametrize(
    "joke", ["just kidding lol", "haha j/k", "I'm only joking!", "lol that was a joke :)"]
)
def test_a_joke_is_not_remembered(joke: str) -> None:
    fact = "My sister Ines moved to Genoa in May."
    lines = heard(fact, "> How nice!", "I quit and move to Mars on Friday.", "> Really?", joke)
    assert [line.text for line in lines] == [fact]


@pytest.mark.parametrize(
    "other",
    [
        "Actually I love this song.",
        "No wait, is that right?",
        "Not Porto, please, I have been there twice.",
        "Actually the plumber comes on Thursday.",
        "Thursday works, too.",
    ],
)
def test_what_corrects_nothing_leaves_the_line_as_it_is(other: str) -> None:
    said = "The dentist is on Friday (2026-04-10) at ten."
    assert heard(said, "> Noted.", other)[0].text == said


def test_nobody_corrects_what_somebody_else_said() -> None:
    said = "The dentist is on Friday (2026-04-10) at ten."
    assert heard(said, "> No wait, Thursday.")[0].text == said


class TestOverDays:
    SAID = "The dentist appointment is on Friday (2026-04-10) at ten."
    NEW = "Actually the dentist appointment is on Thursday."

    def log(self) -> ObservationLog:
        return add(ObservationLog(), heard(self.SAID, "The lease of the shop ends in 2031."))

    @pytest.mark.parametrize(
        ("new", "session"), [(NEW, LATER), (NEW, SESSION), ("no wait, Thursday", SESSION)]
    )
    def test_the_newer_line_names_the_one_whose_place_it_takes(
        self, new: str, session: str
    ) -> None:
        [line] = heard(new, log=self.log(), session=session, days=1)
        [old, _] = self.log().observations
        assert (old.text, line.note(CORRECTS)) == (self.SAID, old.id)

    @pytest.mark.parametrize(
        ("new", "session"),
        [
            (NEW, STRANGER),
            ("no wait, Thursday at the lake", LATER),
            ("Actually the plumber comes on Thursday at ten.", LATER),
        ],
        ids=["of another session key", "of nothing that was said", "of something else"],
    )
    def test_nothing_else_is_taken_back(self, new: str, session: str) -> None:
        for line in heard(new, log=self.log(), session=session, days=1):
            assert line.note(CORRECTS) is None


@pytest.mark.parametrize("corrected", ["no wait, Thursday", "actually not Friday, Thursday"])
def test_a_correction_that_was_told_before_takes_nothing_else_back(corrected: str) -> None:
    """A later run that goes back further reads lines that no run has seen, and it again."""
    rule = "Never deploy the gateway on a Friday."
    dentist = ("The dentist is on Friday at ten.", "> Noted.", corrected)
    [told] = log = heard("ok", *dentist)
    lines = heard(rule, *dentist, log=add(ObservationLog(), log))
    assert (told.text.startswith(dentist[0][:22]), [one.text for one in lines]) == (True, [rule])


@pytest.mark.parametrize("sign", ["#", "- ", "```\n", "haha "])
def test_a_message_of_nothing_but_signs_is_read_once(sign: str) -> None:
    assert not is_joke(sign * 200_000)  # hours, were it read anew from each sign
    assert is_joke(f"{sign}i'm just kidding {sign}")


@pytest.mark.parametrize(
    ("said", "corrected", "days"),
    [
        (
            "Der Umzug ist am 14. Dezember, der Transporter kommt um acht.",
            "Korrektur: der Transporter kommt erst um zehn.",
            2,
        ),
        ("Wir fliegen am Freitag nach Lissabon", "ach nein, am Samstag", 0),
        ("Der Zahnarzt ist am Dienstag um neun.", "sorry, doch am Mittwoch", 0),
        (
            "La reunión con el dentista es el martes a las 5",
            "perdón, el miércoles, no el martes",
            1,
        ),
        ("Mon fils est allergique aux noix.", "enfin non, pas aux noix, aux arachides", 1),
        ("Mon train pour Lyon part mardi à 9:40.", "pardon, mercredi", 0),
        ("A reunião com a Carla ficou para quinta às 15h.", "na verdade, sexta às 10h", 0),
        ("Il treno parte alle 7:40 da Porta Nuova", "anzi, alle 8:10", 0),
        ("来週の月曜日に歯医者の予約があります。", "すみません、火曜日でした", 0),
    ],
)
def test_the_newer_statement_wins_in_other_languages(said: str, corrected: str, days: int) -> None:
    earlier = heard(said)
    [new] = heard("> ok", corrected, log=add(ObservationLog(), earlier), days=days)
    assert new.note(CORRECTS) == earlier[0].id
    [together] = heard(said, "> ok", corrected)
    assert together.text.endswith(corrected) or corrected in together.text
