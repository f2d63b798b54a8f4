"""A line is understood alone: it has the question, the request or the sentence that it needs."""

from __future__ import annotations

import pytest

from memconsole.domain.observe.scoring import Found, JudgedMessage, find


def talk(*texts: str) -> list[str]:
    """Return the lines of the last message; a name in front makes people of the speakers."""
    roles = ("user", "assistant")
    messages = [JudgedMessage(roles[place % 2], text) for place, text in enumerate(texts)]
    return [line.text for line in find(messages) if line.index == len(texts) - 1]


def people(*texts: str) -> list[str]:
    """The same between two people, with some talk before."""
    first = ("Ada: Morning.", "Bob: Morning.")
    names = ("Ada: ", "Bob: ")
    return talk(*first, *(names[place % 2] + text for place, text in enumerate(texts)))


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("How often do you train?", "Three times a week before work, with Marco."),
        ("Which invoices are open?", "Two: 2026-014 of Nordhafen and 2026-011 of Okapi."),
        ("What do we owe?", "612.17 €, if Okapi does not pay before the end of the month."),
        ("Do we have a spare?", "Yes, one of 8 TB in the drawer, bought in January."),
        ("Where did you grow up?", "In Genoa, near the old harbour, until 1998."),
        ("When did the pump fail?", "Around 03:10, when the second filter was full."),
        ("Wann kommt der Klempner?", "Um zehn, mit der neuen Dichtung für das Ventil."),
    ],
)
def test_a_question_and_its_answer_are_kept_together(asked: str, answer: str) -> None:
    assert talk(asked, answer) == [f"{asked} \N{EM DASH} {answer}"]


@pytest.mark.parametrize(
    ("request_", "reply"),
    [
        ("Send Okapi a friendly reminder.", "Queued for 09:00 with the invoice 2026-011 attached."),
        ("Turn the interview into a portrait.", "I kept the sentence about sanding as its title."),
        ("Write the locking down.", "It is in memory/projects/inventory.md, marked as a gotcha."),
    ],
)
def test_a_request_stands_before_what_the_agent_says_of_it(request_: str, reply: str) -> None:
    assert talk(request_, reply) == [f"{request_} \N{EM DASH} {reply}"]


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("Which disk failed?", "The third disk of raidz1-0 failed at 03:12 with 14 write errors."),
        ("Thanks a lot!", "The replica in rack two was upgraded to Debian 12 on 3 May."),
        ("ok", "Marco signed the lease of the shop in Genoa in 2021."),
    ],
)
def test_what_is_understood_alone_stands_alone(before: str, said: str) -> None:
    assert talk(before, said) == [said]


def test_a_word_for_what_was_named_before_gets_the_speakers_own_sentence() -> None:
    own = "My mentor Ines founded the shelter in Porto"
    assert people("Hello!", f"{own}. She taught me everything about dogs in 2019.") == [
        f"Bob: {own}. She taught me everything about dogs in 2019."
    ]


@pytest.mark.parametrize("word", ["He", "It", "They", "She"])
def test_or_the_partners_in_brackets(word: str) -> None:
    told = "My old dog Max died on Sunday."
    said = f"{word} taught my daughter patience when the family moved to Genoa."
    assert people(told, said) == [f"Bob: ({told}) {said}"]


def test_where_nobody_named_it_the_line_is_worth_less() -> None:
    said = "taught my daughter patience when the family moved to Genoa."

    def score(begin: str) -> float:
        messages = [JudgedMessage("user", f"{begin} {said}")]
        return next(one.score for one in find(messages))

    assert score("They") == pytest.approx(score("Dogs") - 1, abs=0.6)


@pytest.mark.parametrize(
    "text",
    [
        "Your hard work is a journey, keep going and never give up!",
        "Let's all stay motivated, the best is yet to come.",
        "Oops, sorry about that! Thank goodness.",
        "Here's a photo of everybody at the lake.",
        "Noted in memory/2026-11-27.md.",
        "Sender (untrusted metadata): the second greeting of the day",
        "Hey Ada, been a while since we chatted.",
    ],
)
def test_encouragement_pictures_and_receipts_are_not_kept(text: str) -> None:
    assert all(line.score < 1.8 for line in lines(text))


def test_a_mere_order_is_worth_less_than_what_it_tells() -> None:
    [order] = lines("Summarise the ticket about the Alder pump.")
    [told] = lines("The ticket about the Alder pump is a summary.")
    assert order.score < 1.8 < told.score + 0.5


def test_a_marked_sentence_is_no_data() -> None:
    [line] = lines("[DECISION] The scanner writes to SQLite in WAL mode since 3 May.")
    assert line.text.startswith("[DECISION] The scanner")


def lines(text: str) -> tuple[Found, ...]:
    return find([JudgedMessage("user", text)])
