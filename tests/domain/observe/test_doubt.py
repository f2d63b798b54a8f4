"""Lines that say nothing definite are doubted; what must not be lost never is."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.memory.observation_log import parse
from memconsole.domain.memory.observations import Kind
from memconsole.domain.observe.doubt import FITTED, LEAST, features, is_doubtful
from memconsole.domain.observe.rules import Observer, Part
from memconsole.domain.transcripts.records import Message, MessageKind

TALKERS = frozenset({"Ada", "Ben"})
NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "body",
    [
        "It was a great time and they all loved it!",
        "You will feel so happy and proud, remember that it makes you stronger.",
        "They have so much fun with it.",
        "The support means a lot, thanks.",
    ],
)
def test_praise_and_what_is_named_elsewhere_are_doubted(body: str) -> None:
    assert is_doubtful(f"Ada: {body}", Kind.FACT, TALKERS)


@pytest.mark.parametrize(
    "body",
    [
        "Last spring we sold our old bakery in Lisbon and opened a café with my sister Marta.",
        "I adopted a kitten from the shelter in Leeds, and my son named her Miso.",
        "What did you study? — I studied marine biology at the university of Porto.",
    ],
)
def test_a_matter_and_who_did_something_about_it_are_not(body: str) -> None:
    assert not is_doubtful(f"Ada: {body}", Kind.FACT, TALKERS)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("They must not push to it.", Kind.RULE),
        ("Never push to it, they said.", Kind.RULE),
        ("They decided against it.", Kind.DECISION),
        ("It failed for them with exit code 3.", Kind.EVENT),
        ("Her rent is $900, and it is due.", Kind.FACT),
        ("They will send it by Friday.", Kind.GOAL),
        ("I will bring it to them tomorrow.", Kind.GOAL),
        ("The dentist is at 10.", Kind.FACT),
        ("It is on Monday.", Kind.FACT),
        ("He is allergic to it.", Kind.FACT),
        ("She is a vegetarian.", Kind.FACT),
        ("I'm from the south.", Kind.FACT),
        ("It is my favorite.", Kind.PREFERENCE),
    ],
)
def test_what_must_not_be_lost_is_never_doubted(body: str, kind: Kind) -> None:
    counted = features(body, TALKERS)

    assert sum(weight * counted[name] for name, weight in FITTED) < LEAST
    assert not is_doubtful(f"Ada: {body}", kind, TALKERS)


def test_cheering_with_the_words_of_a_rule_is_doubted_all_the_same() -> None:
    said = "Ada: Remember to take care of yourself, you deserve it."

    assert is_doubtful(said, Kind.RULE, TALKERS)


@pytest.mark.parametrize(
    "text",
    [
        "They have so much fun with it.",
        "Ada: Sie haben so viel Spaß damit.",
        "Ada: Se lo pasan muy bien con ellos.",
        "Ada: 彼らはとても楽しんでいます。",
    ],
)
def test_what_no_verdicts_are_of_is_not_doubted(text: str) -> None:
    assert not is_doubtful(text, Kind.FACT, TALKERS)


def test_every_weight_is_of_something_that_is_counted() -> None:
    assert [name for name, _ in FITTED] == list(features("I moved to Lisbon.", TALKERS))


@given(st.text(max_size=600))
def test_every_text_is_judged(body: str) -> None:
    assert is_doubtful(f"Ada: {body}", Kind.FACT, TALKERS) in {True, False}


def test_a_doubted_line_is_not_written_and_the_others_are() -> None:
    texts = [
        "Ada: Hi Ben, how was your winter? Mine was long.",
        "Ben: My parents and I renovated a farmhouse near Évora in January, with a new roof.",
        "Ada: Wow, what did they say of it?",
        "Ben: They gave us cake for it and loved the colour.",
        "Ada: Great!",
    ]
    roles = ("user", "assistant", "user", "assistant", "user")
    messages = tuple(
        Message(MessageKind.MESSAGE, text, id=str(n), at=NOW, role=role, position=n)
        for n, (role, text) in enumerate(zip(roles, texts, strict=True))
    )
    observer = Observer("main", str, ZoneInfo("UTC"), NOW, min_score=0.0)
    told = [one.text for one in observer.extract([Part("s", messages)], parse("")).observations]

    assert any("farmhouse" in text for text in told)
    assert not any("cake" in text for text in told)
