"""Session keys are read by position, never by substring."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.sessions.keys import SessionClass, classify, parse_key

UUID = "5a5c9799-1f0c-4a2e-9b53-2f6a3f8a1c11"

DECIDED = [
    ("agent:main:main", SessionClass.MAIN),
    ("main", SessionClass.MAIN),
    ("agent:main:dm:bob", SessionClass.DIRECT),
    ("agent:main:direct:bob", SessionClass.DIRECT),
    ("agent:main:telegram:dm:1001", SessionClass.DIRECT),
    ("agent:main:telegram:direct:1001", SessionClass.DIRECT),
    ("agent:main:telegram:work-bot:direct:1001", SessionClass.DIRECT),
    (f"agent:main:dashboard:{UUID}", SessionClass.DIRECT),
    ("agent:work:dashboard:helpers", SessionClass.DIRECT),
    ("agent:main:explicit:notes", SessionClass.DIRECT),
    ("agent:main:explicit:a:group:b", SessionClass.DIRECT),
    ("agent:main:telegram:group:-100200", SessionClass.GROUP),
    ("agent:main:whatsapp:group:1203@g.us", SessionClass.GROUP),
    ("agent:main:slack:channel:cron-alerts", SessionClass.GROUP),
    ("agent:main:discord:acct:channel:77", SessionClass.GROUP),
    ("agent:main:matrix:channel:!room:example.org", SessionClass.GROUP),
    ("group:-100", SessionClass.GROUP),
    ("agent:main:telegram:group:-100500:topic:42", SessionClass.THREAD),
    ("agent:main:slack:channel:c1:thread:1700000000.000100", SessionClass.THREAD),
    ("agent:main:main:thread:9", SessionClass.THREAD),
    ("agent:main:compactme:thread:9", SessionClass.THREAD),
    (f"agent:main:cron:{UUID}", SessionClass.CRON),
    ("cron:nightly", SessionClass.CRON),
    ("cron:", SessionClass.CRON),
    (f"agent:main:cron:{UUID}:run:{UUID}", SessionClass.CRON),
    ("agent:main:cron:nightly:thread:4", SessionClass.CRON),
    (f"agent:work:subagent:{UUID}", SessionClass.SUBAGENT),
    (f"agent:work:subagent:{UUID}:subagent:{UUID}", SessionClass.SUBAGENT),
    (f"subagent:{UUID}", SessionClass.SUBAGENT),
    ("agent:main:hook:gmail:188f", SessionClass.HOOK),
    ("hook:deploy", SessionClass.HOOK),
    (f"agent:main:dashboard:incognito-{UUID}", SessionClass.INCOGNITO),
    (f"agent:main:subagent:incognito-{UUID}", SessionClass.INCOGNITO),
    (f"agent:main:incognito-{UUID}", SessionClass.INCOGNITO),
]

LOOK_ALIKES = [
    ("agent:micron:main", SessionClass.MAIN),
    ("agent:cron:main", SessionClass.MAIN),
    ("agent:subagent:telegram:direct:1", SessionClass.DIRECT),
    ("agent:main:cron-alerts:direct:1", SessionClass.DIRECT),
    ("agent:main:discord:channel:incognito-fans", SessionClass.GROUP),
    ("agent:main:group:incognito-fans", SessionClass.GROUP),
    ("agent:main:cron:incognito-job", SessionClass.CRON),
    ("agent:main:discord:channel:topic:5", SessionClass.GROUP),
    ("agent:main:telegram:direct:hook:7", SessionClass.DIRECT),
    ("agent:main:explicit:cron:nightly", SessionClass.DIRECT),
    ("agent:main:mainland", SessionClass.OTHER),
]


@pytest.mark.parametrize(("text", "expected"), DECIDED + LOOK_ALIKES)
def test_position_decides_and_chat_type_does_not(text: str, expected: SessionClass) -> None:
    key = parse_key(text, owner="main")

    assert key.kind is expected
    other_type = "direct" if expected is SessionClass.GROUP else "group"
    if expected is not SessionClass.OTHER:
        assert classify(key, other_type) is expected


@pytest.mark.parametrize(
    ("chat_type", "expected"),
    [
        ("direct", SessionClass.DIRECT),
        ("Group", SessionClass.GROUP),
        ("channel", SessionClass.GROUP),
        ("thread", SessionClass.THREAD),
        ("séance", SessionClass.OTHER),
        (None, SessionClass.OTHER),
    ],
)
def test_chat_type_decides_where_the_key_does_not(
    chat_type: str | None, expected: SessionClass
) -> None:
    assert classify(parse_key("agent:main:compactme", owner="main"), chat_type) is expected


@pytest.mark.parametrize(
    "rest",
    ["acp:1", "openai:2", "openresponses:3", "node-7", "unknown"],
)
def test_helpers_stay_other_whatever_their_chat_type(rest: str) -> None:
    key = parse_key(f"agent:main:{rest}", owner="main")

    assert classify(key, "direct") is SessionClass.OTHER
    assert not classify(key, "direct").is_captured
    assert not classify(key, "direct").is_rotated


@pytest.mark.parametrize("rest", ["heartbeat", "main:heartbeat", "telegram:direct:7:heartbeat"])
def test_heartbeats_are_a_class_of_their_own(rest: str) -> None:
    kind = classify(parse_key(f"agent:main:{rest}", owner="main"), "direct")

    assert kind is SessionClass.HEARTBEAT
    assert not any((kind.is_captured, kind.is_rotated, kind.is_conversation))


@pytest.mark.parametrize(
    "text",
    [
        "agent:main::x",
        "agent:main:telegram:direct:",
        "agent:main:dashboard:",
        "agent:main:cron",
        "agent:main:main:thread:",
        "agent:main:unknown:thread:1",
    ],
)
def test_half_a_key_is_other(text: str) -> None:
    assert parse_key(text, owner="main").kind is SessionClass.OTHER


def test_agent_and_rest_are_cut_at_two_colons_only() -> None:
    key = parse_key("agent:Ops:matrix:channel:!a:b:c", owner="main")

    assert (key.agent_id, key.rest) == ("ops", "matrix:channel:!a:b:c")
    assert key.text == "agent:Ops:matrix:channel:!a:b:c"
    assert key.short == "matrix:channel:!a:b:c"


@pytest.mark.parametrize("text", ["main", "", "agent", "agent:main", "agent::main", "agent:main:"])
def test_a_bare_key_belongs_to_the_owner_of_the_store(text: str) -> None:
    key = parse_key(text, owner="work")

    assert (key.agent_id, key.rest) == ("work", text)


@pytest.mark.parametrize(
    ("text", "parent"),
    [
        ("agent:main:telegram:group:-1:topic:42", "agent:main:telegram:group:-1"),
        ("agent:Main:slack:channel:C1:Thread:9", "agent:Main:slack:channel:C1"),
        ("main:thread:9", "main"),
        ("agent:main:a:group:b:topic:1:thread:2", "agent:main:a:group:b:topic:1"),
        ("agent:main:telegram:group:-1", None),
    ],
)
def test_a_thread_names_its_parent(text: str, parent: str | None) -> None:
    assert parse_key(text, owner="main").parent == parent


@pytest.mark.parametrize(
    ("text", "job_id", "is_run"),
    [
        ("agent:main:cron:nightly", "nightly", False),
        ("agent:main:cron:nightly:run:5", "nightly", True),
        ("cron:a:b:run:5", "a:b", True),
        ("agent:main:cron:nightly:run:", "nightly:run:", False),
        ("agent:main:cron:", None, False),
        ("agent:main:hook:a:run:5", None, False),
    ],
)
def test_cron_runs_know_their_job(text: str, job_id: str | None, is_run: bool) -> None:
    key = parse_key(text, owner="main")

    assert (key.job_id, key.is_cron_run) == (job_id, is_run)


def test_the_configured_main_key_is_main_and_so_is_its_old_name() -> None:
    def kind(text: str) -> SessionClass:
        return parse_key(text, owner="main", main_key="Home:base").kind

    assert kind("agent:main:home:base") is SessionClass.MAIN
    assert kind("agent:main:main") is SessionClass.MAIN
    assert kind("agent:main:home:base:thread:1") is SessionClass.THREAD
    assert kind("agent:main:home") is SessionClass.OTHER


@pytest.mark.parametrize("text", ["global", "Global"])
@pytest.mark.parametrize("chat_type", [None, "direct", "group"])
def test_the_scope_of_sessions_alone_decides_what_the_bare_global_is(
    text: str, chat_type: str | None
) -> None:
    def kind(*, is_global: bool) -> SessionClass:
        return classify(parse_key(text, owner="main", is_global=is_global), chat_type)

    assert kind(is_global=True) is SessionClass.MAIN
    assert kind(is_global=False) is SessionClass.OTHER


def test_only_the_bare_global_is_the_session_of_that_scope() -> None:
    def kind(text: str) -> SessionClass:
        return parse_key(text, owner="main", is_global=True).kind

    assert kind("agent:main:global") is SessionClass.OTHER
    assert kind("global:direct:1") is SessionClass.DIRECT


@given(st.text(), st.text(min_size=1), st.text())
def test_any_text_is_a_key_and_is_kept(text: str, owner: str, chat_type: str) -> None:
    key = parse_key(text, owner=owner)

    assert key.text == text
    assert text.endswith(key.rest)
    assert classify(key, chat_type) in SessionClass
    assert not (key.is_cron_run and key.job_id is None)


@given(
    st.lists(
        st.sampled_from(
            ["agent", "main", "cron", "run", "direct", "group", "topic", "thread", "x", "", "hook"]
        ),
        max_size=8,
    )
)
def test_a_thread_has_a_parent_and_nothing_else_has(words: list[str]) -> None:
    key = parse_key(":".join(words), owner="main")

    assert (key.kind is SessionClass.THREAD) == (key.parent is not None)
    if key.parent is not None:
        assert key.text.startswith(key.parent + ":")
        assert parse_key(key.parent, owner="main").agent_id == key.agent_id


def test_which_classes_are_sessions_captured_and_rotated() -> None:
    talks = {kind for kind in SessionClass if kind.is_conversation}

    assert talks == set(SessionClass) - {
        SessionClass.CRON,
        SessionClass.SUBAGENT,
        SessionClass.HOOK,
        SessionClass.HEARTBEAT,
    }
    assert {kind for kind in SessionClass if kind.is_captured} == {
        SessionClass.MAIN,
        SessionClass.DIRECT,
    }
    assert {kind for kind in SessionClass if kind.is_rotated} == {
        SessionClass.MAIN,
        SessionClass.DIRECT,
        SessionClass.GROUP,
        SessionClass.THREAD,
    }


def test_each_class_is_called_so_that_a_sentence_can_end_with_it() -> None:
    assert [one.phrase for one in SessionClass] == [
        "a main session",
        "a direct session",
        "a group session",
        "a thread session",
        "a cron session",
        "a subagent session",
        "a hook session",
        "a heartbeat session",
        "an incognito session",
        "a session of another kind",
    ]
