"""What is worth remembering is found, in people's talk and in operators' talk; chatter is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.memory.observations import Kind, Priority
from memconsole.domain.observe.scoring import LINE_CHARS, MAX_CHARS, Found, JudgedMessage, find


def only(*texts: str, role: str = "user") -> tuple[Found, ...]:
    return find([JudgedMessage(role, text) for text in texts])


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("We decided to use Postgres instead of MySQL for billing.", Kind.DECISION),
        ("Never deploy the gateway on a Friday.", Kind.RULE),
        ("I prefer short answers in German.", Kind.PREFERENCE),
        ("The invoice for Marco is due by Friday.", Kind.GOAL),
        ("The deploy failed with exit code 137 on web-3.", Kind.EVENT),
        ("I call my mother every Sunday evening.", Kind.HABIT),
        ("I moved to Lisbon in 2019 with my sister.", Kind.FACT),
        ("我们决定使用 Postgres 作为数据库。", Kind.DECISION),
    ],
)
def test_a_sentence_is_kept_under_its_kind(text: str, kind: Kind) -> None:
    [found] = only(text)

    assert (found.text, found.kind) == (text, kind)
    assert found.score >= 1.5


@pytest.mark.parametrize(
    "text",
    [
        "Thanks!",
        "Wow, that's awesome!",
        "ok",
        "Can you look at it?",
        "Hey, how are you?",
        "Sounds good, talk to you later!",
        "Long time no see!",
        "It's been a crazy few weeks since we talked.",
        "I have to tell you something.",
        "Something strange has happened lately.",
        "So much has happened since Easter!",
        "| a | b |",
        '{"id": 3, "state": "open"}',
        'File "x.py", line 3, in main',
    ],
)
def test_chatter_and_data_are_not_kept(text: str) -> None:
    assert only(text) == ()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The current always pushes our boat towards Elba.", Kind.FACT),
        ("I make sure to run five miles each morning.", Kind.HABIT),
        ("The dog took a week to get used to her in 2023.", Kind.FACT),
        ("We used to sing in the choir of Genoa.", Kind.HABIT),
        ("Keep going with your two exams in March, Ada said.", Kind.FACT),
        ("We are going with Postgres for the invoices.", Kind.DECISION),
        ("Been busy migrating the billing service to Frankfurt.", Kind.FACT),
        ("A lot has changed in release 2.3 of the gateway.", Kind.FACT),
    ],
)
def test_a_cue_needs_its_own_words(text: str, kind: Kind) -> None:
    [found] = only(text)

    assert (found.text, found.kind) == (text, kind)


def test_talk_of_the_world_in_general_is_worth_less() -> None:
    [plain] = only("The training in Genoa helped Marco with his new job.")
    [general] = only("The training in Genoa helped everyone with their new job.")

    assert plain.score > general.score


def test_decisions_and_rules_of_people_are_urgent() -> None:
    texts = (
        "We decided to use Postgres instead of MySQL.",
        "Never deploy the gateway on a Friday.",
    )
    for found in only(*texts):
        assert Priority.of_score(found.score) is not Priority.LOW
    assert only(texts[1])[0].score > only(texts[1], role="assistant")[0].score


def test_a_short_answer_keeps_its_question() -> None:
    talk = [
        JudgedMessage("user", "Which port does the staging gateway use?"),
        JudgedMessage("assistant", "18789."),
    ]
    [found] = find(talk)

    assert found.text == "Which port does the staging gateway use? — 18789."
    assert find([JudgedMessage("user", "How are you?"), JudgedMessage("assistant", "Fine.")]) == ()


@pytest.mark.parametrize(
    ("asked", "answer", "is_joined"),
    [
        ("What did the funding of the school pay for?", "It paid for the roof in 2021.", True),
        ("Did they sign the lease in Genoa?", "Yes, they signed it on Monday.", True),
        ("Did they sign the lease in Genoa?", "They found a house in Lisbon in May.", True),
        ("What did they sign?", "Marco signed the lease in May.", False),
        ("What did they sign?", "It's been three weeks since the lease in May.", False),
        (f"What did they sign in {'far ' * 30}Genoa?", "They signed the lease in May.", False),
        ("How are you doing with it?", "It took three weeks in May.", False),
    ],
)
def test_an_answer_with_a_word_for_what_was_asked_keeps_its_question(
    asked: str, answer: str, is_joined: bool
) -> None:
    found = find([JudgedMessage("user", asked), JudgedMessage("assistant", answer)])[-1]

    assert found.text == (f"{asked} — {answer}" if is_joined else answer)


def test_a_question_is_kept_without_the_name_in_front() -> None:
    talk = [
        JudgedMessage("user", "Ada: I moved to Genoa in May. What did the funding pay for?"),
        JudgedMessage("assistant", "Bob: It paid for the roof in 2021."),
        JudgedMessage("user", "Ada: We sail to Elba in June with my brother."),
        JudgedMessage("assistant", "Bob: My sister lives in Elba since March."),
    ]

    assert (
        find(talk)[1].text == "Bob: What did the funding pay for? — It paid for the roof in 2021."
    )


def test_an_answer_is_worth_more_than_the_same_words_unasked() -> None:
    said = "The backup of the cluster lies on the second disk."
    asked = find([JudgedMessage("user", "Where is the backup?"), JudgedMessage("assistant", said)])
    alone = find([JudgedMessage("user", "I see."), JudgedMessage("assistant", said)])

    assert asked[-1].score > alone[-1].score


def test_what_is_known_is_worth_less() -> None:
    said = "The backup of the cluster lies on the second disk."
    talk = [JudgedMessage("user", said)]

    assert find(talk)[0].score > find(talk, [said])[0].score


def test_names_of_those_who_talk_stay_in_front() -> None:
    talk = [
        JudgedMessage("user", "Ada: Hi Bob! I bought a boat in Genoa last week."),
        JudgedMessage("assistant", "Bob: Wow, that's great, Ada!"),
        JudgedMessage("user", "Ada: Thanks! We sail to Elba in June with my brother."),
        JudgedMessage("assistant", "Bob: Sounds good!"),
    ]

    assert [found.text for found in find(talk)] == [
        "Ada: I bought a boat in Genoa last week.",
        "Ada: We sail to Elba in June with my brother.",
    ]


def test_items_of_a_list_do_not_run_together() -> None:
    [found] = only("- Export the tables with pg_dump\n- Switch the read replica")

    assert found.text == "Export the tables with pg_dump; Switch the read replica"


def test_a_sentence_that_is_said_twice_is_kept_once() -> None:
    [found] = only("Marco moved to Lisbon. Marco moved to Lisbon. He sold the boat in Genoa.")

    assert found.text == "Marco moved to Lisbon. He sold the boat in Genoa."


def test_a_long_message_gives_few_short_lines() -> None:
    text = "\n".join(f"- We decided to move service {n} to host alpha{n} today" for n in range(99))
    found = only(text)

    assert 1 < len(found) <= 3
    assert all(len(one.text) <= LINE_CHARS for one in found)
    assert sum(len(one.text) for one in found) <= MAX_CHARS


@given(
    st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text(max_size=200)), max_size=6)
)
def test_any_session_can_be_judged(talk: list[tuple[str, str]]) -> None:
    found = find([JudgedMessage(role, text) for role, text in talk])

    assert all(0 <= one.score <= 10 and one.text for one in found)
    assert [one.index for one in found] == sorted(one.index for one in found)
