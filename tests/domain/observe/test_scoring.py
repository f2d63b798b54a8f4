"""What is worth remembering is found, in people's talk and in operators' talk; chatter is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.memory.observations import MEDIUM_SCORE, Kind, Priority
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


@pytest.mark.parametrize(
    ("asked", "nobody_knows", "between", "answer"),
    [
        ("Which hotel did you book?", "I don't know yet.", "Fine.", "The Infante, two nights."),
        ("Which hotel did you book?", "not sure", "ok, tell me", "It's the Infante, two nights."),
        ("Who looks after the backup?", "no idea", "Thanks.", "Marta of Nordhafen"),
        (
            "Welches Hotel ist es?",
            "Wei\N{LATIN SMALL LETTER SHARP S} ich noch nicht.",
            "Gut.",
            "Das Infante.",
        ),
        ("¿Qué hotel reservaste?", "Todavía no lo sé.", "Vale.", "El Infante, dos noches."),
    ],
)
def test_a_question_that_nobody_could_answer_stays_open_for_a_late_answer(
    asked: str, nobody_knows: str, between: str, answer: str
) -> None:
    whole = f"{asked} \N{EM DASH} {answer}"
    assert talk(asked, nobody_knows, between, answer) == [whole]
    assert people(asked, nobody_knows, between, answer) == [f"Bob: {whole}"]
    messages = (asked, nobody_knows, between, answer)
    late = find(
        [JudgedMessage(("user", "assistant")[n % 2], one) for n, one in enumerate(messages)]
    )
    assert late[-1].score >= MEDIUM_SCORE


@pytest.mark.parametrize(
    "between",
    [
        ("Fine. Who drives?",),
        ("Fine.", "Hm.", "Good night!", "Morning.", "Hello."),
        ("Fine.", "Dinner from seven.", "Good."),
        ("Fine. My sister and her three children arrive from Genoa tomorrow morning.",),
    ],
)
def test_it_does_not_stay_open_behind_another_matter(between: tuple[str, ...]) -> None:
    told = people("Which hotel did you book?", "No idea.", *between, "The Infante, two nights.")
    assert not any("hotel" in line for line in told)


@pytest.mark.parametrize(
    "said", ["The cat is sick.", "Buy milk.", "I moved to Genoa.", "Not yet, two weeks."]
)
def test_what_is_no_late_answer_stands_alone(said: str) -> None:
    told = people("Which hotel did you book?", "No idea.", "Fine.", said)
    assert not any("hotel" in line for line in told)


@pytest.mark.parametrize(("third", "is_joined"), [("Ada: Fine.", True), ("Eva: Fine.", False)])
def test_only_the_two_who_spoke_of_it_keep_a_question_open(third: str, is_joined: bool) -> None:
    texts = ("Ada: Morning.", "Bob: Morning.", "Eva: Morning.", "Eva: Hello.")
    more = ("Ada: Which hotel did you book?", "Bob: No idea.", third, "Bob: The Infante.")
    found = find([JudgedMessage("user", one) for one in (*texts, *more)])
    assert any("hotel" in line.text for line in found) is is_joined


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("lol Ana moved to Porto in May haha!", "Ana moved to Porto in May!"),
        ("omg, I got the job in Berlin since March xd", "I got the job in Berlin since March"),
        ("Hey, I bought a boat in Genoa. lol", "I bought a boat in Genoa."),
        ("Hey Bob, I moved to Lisbon in 2019.", "Hey Bob, I moved to Lisbon in 2019."),
        ("The haha wall of the garden fell in 2019.", "The haha wall of the garden fell in 2019."),
    ],
)
def test_a_cry_before_or_behind_a_statement_is_no_part_of_it(said: str, line: str) -> None:
    assert [one.text for one in lines(said)] == [line]


@pytest.mark.parametrize(
    "said",
    [
        "lol my cat knocked over the plant again haha",
        "haha we dropped the whole cake on the floor",
        "Hahaha, the coffee machine exploded again lol!!",
        "lol haha",
    ],
)
def test_a_mishap_to_laugh_about_is_not_kept(said: str) -> None:
    assert all(line.score < 1.8 for line in lines(said))


def test_what_lasts_is_kept_though_somebody_laughs() -> None:
    said = "my cat knocked over the plant again and broke the server on Monday"
    [plain], [laughed] = lines(said), lines(f"lol {said} haha")
    assert laughed == plain
