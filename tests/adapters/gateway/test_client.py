"""Requests and answers: paging, exact keys, answers that are late, lost, doubled or no JSON."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.adapters.gateway import frames
from memconsole.adapters.gateway.errors import AnswerError, RefusedError
from memconsole.adapters.gateway.identity import Device, DeviceFile
from memconsole.adapters.gateway.sessions import fewer_params
from memconsole.errors import GatewayCallError, GatewayUnavailableError
from tests.adapters.gateway.scripted import TOKEN, error, let_in, ok, scripted, until
from tests.adapters.gateway.test_verdicts import client

if TYPE_CHECKING:
    from pathlib import Path

KEY = "agent:main:main"
ROW = {
    "key": KEY,
    "agentId": "main",
    "sessionId": "s-1",
    "totalTokens": 160_000,
    "totalTokensFresh": True,
    "contextTokens": 200_000,
    "updatedAt": 1775984400000,
}


def test_all_pages_are_read(tmp_path: Path) -> None:
    rows = [{**ROW, "key": f"agent:main:dashboard:{number}"} for number in range(5)]
    pages = [
        {
            "on": "sessions.list",
            "reply": ok({"sessions": rows[:2], "hasMore": True, "nextOffset": 2}),
        },
        {
            "on": "sessions.list",
            "reply": ok({"sessions": rows[2:4], "hasMore": True, "nextOffset": 4}),
        },
        {"on": "sessions.list", "reply": ok({"sessions": rows[4:], "hasMore": False})},
    ]
    with scripted([*let_in("sessions.list"), *pages]) as script:
        made, _ = client(script.url, tmp_path)
        reading = made.read()
        made.close()
    assert sorted(reading.sessions) == [row["key"] for row in rows]
    assert [one.get("offset") for one in script.params("sessions.list")] == [None, 2, 4]
    assert reading.status.version == "2026.9.6"


def test_pages_that_do_not_go_on_end(tmp_path: Path) -> None:
    page = ok({"sessions": [ROW], "hasMore": True, "nextOffset": 0})
    with scripted([*let_in(), {"on": "sessions.list", "reply": page}]) as script:
        made, _ = client(script.url, tmp_path)
        assert list(made.read().sessions) == [KEY]
        made.close()


def test_one_link_serves_many_readings(tmp_path: Path) -> None:
    answer = {"on": "sessions.list", "reply": ok({"sessions": [ROW]})}
    event = {"send": {"type": "event", "event": "tick", "payload": {}}}
    with scripted([*let_in(), answer, event, event, answer, event, answer]) as script:
        made, _ = client(script.url, tmp_path)
        assert [len(made.read().sessions) for _ in range(3)] == [1, 1, 1]
        made.close()
    assert script.connections == 1


def test_only_the_answer_with_our_id_counts(tmp_path: Path) -> None:
    wrong = {"type": "res", "id": "somebody", "ok": True, "payload": {"sessions": []}}
    replies = [
        {"type": "event", "event": "agent", "payload": {"text": "x" * 200_000}},
        wrong,
        ok({"sessions": [ROW]}),
        ok({"sessions": []}),
    ]
    with scripted(
        [
            *let_in(),
            {"raw": "no json at all"},
            {"raw": b"\xff\x00"},
            {"raw": '{"type":"res","id":'},
            {"raw": "[" * 50_000},
            {"on": "sessions.list", "replies": replies},
            {"on": "sessions.list", "reply": ok({"sessions": [ROW, ROW]})},
        ]
    ) as script:
        made, _ = client(script.url, tmp_path)
        assert list(made.read().sessions) == [KEY]
        assert list(made.read().sessions) == [KEY]
        made.close()


def test_an_answer_above_the_limit_breaks_the_link_and_nothing_else(tmp_path: Path) -> None:
    with scripted(
        [*let_in(), {"on": "sessions.list"}, {"raw": "x" * (33 * 1024 * 1024)}],
    ) as script:
        made, _ = client(script.url, tmp_path)
        status = made.read().status
    assert (status.verdict, status.reason) == (
        "down",
        "the link broke off before the answer came",
    )
    assert script.connections == 1


def test_a_large_answer_is_read(tmp_path: Path) -> None:
    rows = [{**ROW, "key": f"agent:main:{n}", "note": "n" * 30_000} for n in range(1000)]
    with scripted([*let_in(), {"on": "sessions.list", "reply": ok({"sessions": rows})}]) as script:
        made, _ = client(script.url, tmp_path)
        assert len(made.read().sessions) == 1000
        made.close()


def test_a_link_that_broke_between_readings_is_opened_anew(tmp_path: Path) -> None:
    answer = {"on": "sessions.list", "reply": ok({"sessions": [ROW]})}
    with scripted([*let_in(), answer, {"close": 1012}], [*let_in(), answer]) as script:
        made, _ = client(script.url, tmp_path)
        assert made.read().status.verdict == "up"
        assert made.read().status.verdict == "up"
        made.close()
    assert script.connections == 2


def test_a_session_is_found_by_its_exact_key_only(tmp_path: Path) -> None:
    other = {**ROW, "key": "agent:main:main2"}
    steps = [
        *let_in("sessions.describe"),
        {"on": "sessions.describe", "reply": ok({"session": ROW})},
        {"on": "sessions.describe", "reply": ok({"session": None})},
        {"on": "sessions.describe", "reply": ok({"session": other})},
    ]
    with scripted(steps) as script:
        made, _ = client(script.url, tmp_path)
        found = [made.find(KEY) for _ in range(3)]
        made.close()
    assert [one and one.session_id for one in found] == ["s-1", None, None]


def test_the_agents_own_search_is_asked(tmp_path: Path) -> None:
    good = {"path": "memory/a.md", "startLine": 3, "endLine": 9, "score": 0.5, "vectorScore": 1}
    nonsense = [{"path": 7}, "x", {"path": "b.md", "startLine": 1, "score": True}, None]
    reply = ok({"agentId": "main", "results": [good, *nonsense]})
    with scripted([*let_in("memory.search"), {"on": "memory.search", "reply": reply}]) as script:
        made, _ = client(script.url, tmp_path)
        found = made.search_memory("main", "boiler", 50)
        made.close()
    assert found == (("memory/a.md", 3, 9, 0.5, 1.0, None),)
    assert script.params("memory.search") == [
        {"query": "boiler", "agentId": "main", "maxResults": 50, "minScore": 0}
    ]


def test_a_release_that_knows_no_least_score_is_asked_without(tmp_path: Path) -> None:
    refusal = error("INVALID_REQUEST", "at root: unexpected property 'minScore'")
    reply = ok({"results": [{"path": "a.md", "startLine": 1, "score": 0.5}]})
    steps = [{"on": "memory.search", "reply": one} for one in (refusal, reply)]
    with scripted([*let_in("memory.search"), *steps]) as script:
        made, _ = client(script.url, tmp_path)
        found = made.search_memory("main", "boiler", 50)
        made.close()
    assert [one.path for one in found] == ["a.md"]
    assert [sorted(one) for one in script.params("memory.search")] == [
        ["agentId", "maxResults", "minScore", "query"],
        ["agentId", "maxResults", "query"],
    ]


def test_a_release_without_a_memory_search_is_told_and_not_asked(tmp_path: Path) -> None:
    with scripted([*let_in("sessions.list")]) as script:
        made, _ = client(script.url, tmp_path)
        with pytest.raises(GatewayCallError, match=r"does not know memory\.search"):
            made.search_memory("main", "boiler", 50)
        made.close()


@pytest.mark.parametrize("methods", [("sessions.list",), ("sessions.list", "sessions.describe")])
def test_without_describe_the_list_is_searched(tmp_path: Path, methods: tuple[str, ...]) -> None:
    unknown = error("INVALID_REQUEST", "unknown method: sessions.describe")
    describe = [{"on": "sessions.describe", "reply": unknown}] if len(methods) > 1 else []
    listing = {"on": "sessions.list", "reply": ok({"sessions": [{"key": "x"}, ROW]})}
    with scripted([*let_in(*methods), *describe, listing]) as script:
        made, _ = client(script.url, tmp_path)
        found = made.find(KEY)
        made.close()
    assert found is not None
    assert found.tokens == 160_000


def test_a_reset_is_sent_once(tmp_path: Path) -> None:
    entry = {
        "sessionId": "s-1",
        "lifecycleRevision": "r-2",
        "totalTokens": 0,
        "totalTokensFresh": True,
    }
    steps = [*let_in(), {"on": "sessions.reset", "reply": ok({"ok": True, "entry": entry})}]
    with scripted(steps) as script:
        made, _ = client(script.url, tmp_path)
        answer = made.reset(KEY, "s-1")
        made.close()
    assert answer.entry is not None
    assert (answer.entry.key, answer.entry.revision, answer.entry.tokens) == (KEY, "r-2", 0)
    assert script.params("sessions.reset") == [
        {"key": KEY, "reason": "new", "expectedSessionId": "s-1"}
    ]


def test_a_branch_is_sent_once_and_its_row_says_what_it_was_branched_off(tmp_path: Path) -> None:
    source = {"sessionKey": KEY, "sessionId": "s-1", "entryId": "m-3"}
    row = {"key": "agent:main:b", "sessionId": "s-2", "forkSource": source}
    steps = [
        *let_in(),
        {"on": "sessions.fork", "reply": ok({"sessionKey": "agent:main:b"})},
        {"on": "sessions.list", "reply": ok({"sessions": [row]})},
    ]
    with scripted(steps) as script:
        made, _ = client(script.url, tmp_path)
        answer = made.branch(KEY, "m-3")
        [found] = made.read().sessions.values()
        made.close()
    assert (answer.key, answer.is_lost) == ("agent:main:b", False)
    assert (found.session_id, found.forked_at) == ("s-2", (KEY, "m-3"))
    assert script.params("sessions.fork") == [{"sessionKey": KEY, "entryId": "m-3"}]


def test_a_branch_off_a_compaction_is_sent_once_and_names_its_session(tmp_path: Path) -> None:
    row = {"key": "agent:main:b", "sessionId": "s-2", "parentSessionKey": KEY}
    steps = [
        *let_in(),
        {"on": "sessions.compaction.branch", "reply": ok({"key": "agent:main:b"})},
        {"on": "sessions.list", "reply": ok({"sessions": [row]})},
    ]
    with scripted(steps) as script:
        made, _ = client(script.url, tmp_path)
        answer = made.branch(KEY, "c-1", is_compaction=True)
        [found] = made.read().sessions.values()
        made.close()
    assert (answer.key, found.parent_key) == ("agent:main:b", KEY)
    asked = script.params("sessions.compaction.branch")
    assert asked == [{"key": KEY, "checkpointId": "c-1"}]


def test_a_release_that_knows_no_branches_refuses_them_as_unknown(tmp_path: Path) -> None:
    unknown = error("INVALID_REQUEST", "unknown method: sessions.fork")
    with scripted([*let_in(), {"on": "sessions.fork", "reply": unknown}]) as script:
        made, _ = client(script.url, tmp_path)
        with pytest.raises(GatewayCallError) as refused:
            made.branch(KEY, "m-3")
        made.close()
    assert refused.value.reason == "unknown-method"


@pytest.mark.parametrize(
    ("refused", "second"),
    [
        ("expectedSessionId", {"key": KEY, "reason": "new"}),
        ("reason", {"key": KEY}),
    ],
)
def test_a_refused_property_is_left_out_once(
    tmp_path: Path, refused: str, second: dict[str, str]
) -> None:
    words = f"invalid sessions.reset params: at root: unexpected property '{refused}'"
    steps = [
        *let_in(),
        {"on": "sessions.reset", "reply": error("INVALID_REQUEST", words)},
        {"on": "sessions.reset", "reply": ok({"ok": True})},
    ]
    with scripted(steps) as script:
        made, _ = client(script.url, tmp_path)
        assert not made.reset(KEY, "s-1").is_lost
        made.close()
    assert script.params("sessions.reset")[1] == second


def test_a_second_refusal_ends_it(tmp_path: Path) -> None:
    refusals = [
        {
            "on": "sessions.reset",
            "reply": error("INVALID_REQUEST", f"at root: unexpected property '{name}'"),
        }
        for name in ("expectedSessionId", "reason")
    ]
    with scripted([*let_in(), *refusals]) as script:
        made, _ = client(script.url, tmp_path)
        with pytest.raises(GatewayCallError):
            made.reset(KEY, "s-1")
        made.close()
    assert len(script.params("sessions.reset")) == 2


def test_a_lost_answer_is_not_asked_for_again(tmp_path: Path) -> None:
    with scripted([*let_in(), {"on": "sessions.reset"}, {"close": 1006}], let_in()) as script:
        made, _ = client(script.url, tmp_path)
        assert made.reset(KEY, "s-1").is_lost
        made.close()
    assert (script.connections, len(script.params("sessions.reset"))) == (1, 1)


def test_a_changed_session_is_a_refusal_with_its_reason(tmp_path: Path) -> None:
    reply = error(
        "INVALID_REQUEST", "Session changed before reset. Retry.", reason="session-changed"
    )
    with scripted([*let_in(), {"on": "sessions.reset", "reply": reply}]) as script:
        made, _ = client(script.url, tmp_path)
        with pytest.raises(GatewayCallError) as caught:
            made.reset(KEY, "s-1")
        made.close()
    assert caught.value.reason == "session-changed"


def test_a_missing_scope_names_the_scope(tmp_path: Path) -> None:
    reply = error("FORBIDDEN", "missing scope: operator.admin", code="MISSING_SCOPE")
    with scripted([*let_in(), {"on": "sessions.reset", "reply": reply}]) as script:
        made, _ = client(script.url, tmp_path)
        with pytest.raises(GatewayUnavailableError, match=r"operator\.admin") as caught:
            made.reset(KEY, "s-1")
        made.close()
    assert caught.value.code == "missing-scope"


@pytest.mark.parametrize(
    ("payload", "is_compacted", "reason"),
    [
        (
            {"ok": True, "compacted": True, "result": {"summary": "## Goal", "tokensAfter": 9}},
            True,
            "",
        ),
        (
            {"ok": False, "compacted": False, "reason": "Already compacted"},
            False,
            "Already compacted",
        ),
        ({"ok": True, "compacted": False, "reason": "no transcript"}, False, "no transcript"),
        ({"ok": False, "compacted": True}, False, "it gave no reason"),
        ({}, False, "it gave no reason"),
    ],
)
def test_the_inner_word_of_a_compaction_counts(
    tmp_path: Path, payload: dict[str, object], is_compacted: bool, reason: str
) -> None:
    with scripted([*let_in(), {"on": "sessions.compact", "reply": ok(payload)}]) as script:
        made, _ = client(script.url, tmp_path)
        answer = made.compact(KEY)
        made.close()
    assert (answer.is_compacted, answer.reason) == (is_compacted, reason)


def test_a_cut_tells_where_the_whole_transcript_is_kept(tmp_path: Path) -> None:
    payload = {"ok": True, "compacted": True, "kept": 400, "archived": "/h/a.jsonl.bak.1"}
    with scripted([*let_in(), {"on": "sessions.compact", "reply": ok(payload)}]) as script:
        made, _ = client(script.url, tmp_path)
        answer = made.compact(KEY)
        made.close()
    assert (answer.kept_lines, answer.archived) == (400, "/h/a.jsonl.bak.1")


def test_a_question_that_is_still_open_proves_nothing(tmp_path: Path) -> None:
    hold = threading.Event()
    with scripted([{"wait": hold}, {"close": 1006}]) as script:
        made, _ = client(script.url, tmp_path)
        assert made.provisional().verdict == "late"
        thread = threading.Thread(target=made.read)
        thread.start()
        until(lambda: script.connections == 1)
        found = made.provisional()
        assert (found.verdict, found.url) == ("late", script.url)
        hold.set()
        thread.join()


def test_a_request_of_ours_that_takes_long_is_no_lateness(tmp_path: Path) -> None:
    hold = threading.Event()
    done = {"on": "sessions.compact", "reply": ok({"ok": True, "compacted": True})}
    with scripted([*let_in(), {"wait": hold}, done]) as script:
        made, _ = client(script.url, tmp_path)
        made.require()
        thread = threading.Thread(target=made.compact, args=(KEY,))
        thread.start()
        until(lambda: made.provisional().verdict == "up")
        hold.set()
        thread.join()
        assert made.provisional().verdict == "late"
        made.close()


def test_old_releases_say_zero_for_unknown() -> None:
    row = frames.session({"key": KEY, "totalTokens": 0})
    fresh = frames.session({"key": KEY, "totalTokens": 0, "totalTokensFresh": True})
    assert row is not None
    assert fresh is not None
    assert (row.tokens, fresh.tokens) == (None, 0)


@pytest.mark.parametrize(
    ("row", "is_busy"),
    [
        ({"status": "running"}, True),
        ({"hasActiveRun": True}, True),
        ({"activeRunIds": ["r"]}, True),
        ({"activeRunIds": [], "status": "done"}, False),
        ({"hasActiveRun": False}, False),
        ({}, False),
    ],
)
def test_busy(row: dict[str, object], is_busy: bool) -> None:
    found = frames.session({"key": KEY, **row})
    assert found is not None
    assert found.is_busy is is_busy


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*ROW, "activeRunIds", "status", "label"]), JSON))
def test_any_row_is_a_session_or_nothing(row: dict[str, object]) -> None:
    found = frames.session(row)
    assert (found is None) == (not (isinstance(row.get("key"), str) and row["key"]))
    assert found is None or found.tokens is None or found.tokens >= 0


@given(st.binary(max_size=200) | st.text(max_size=200))
def test_any_bytes_are_a_frame_or_nothing(data: bytes | str) -> None:
    found = frames.decode(data)
    assert found is None or isinstance(json.loads(data), dict)


def test_the_signature_covers_what_the_gateway_checks(tmp_path: Path) -> None:
    import base64  # noqa: PLC0415
    import hashlib  # noqa: PLC0415

    from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415
        Ed25519PublicKey,
    )

    def bytes_of(value: object) -> bytes:
        text = str(value)
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))

    device = DeviceFile(tmp_path / "device.key").load_or_make()
    block = device.block(scopes=("a", "b"), token=TOKEN, nonce="n", signed_at=7)
    public = bytes_of(block["publicKey"])
    assert block["id"] == hashlib.sha256(public).hexdigest()
    signed = f"v2|{block['id']}|cli|cli|operator|a,b|7|{TOKEN}|n"
    Ed25519PublicKey.from_public_bytes(public).verify(bytes_of(block["signature"]), signed.encode())


def test_the_identity_stays_and_shows_nothing(tmp_path: Path) -> None:
    file = DeviceFile(tmp_path / "deep" / "device.key")
    assert file.load() is None
    first = file.load_or_make()
    assert isinstance(first, Device)
    assert file.load_or_make() == file.load() == first
    assert (tmp_path / "deep" / "device.key").read_text() not in repr(first)
    assert [one.name for one in (tmp_path / "deep").iterdir()] == ["device.key"]


@pytest.mark.parametrize("damage", [b"", b"AAAA", b"\xff\xfe"])
def test_a_damaged_identity_is_told_and_never_replaced(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "device.key"
    path.write_bytes(damage)
    with pytest.raises(RefusedError, match="cannot be read"):
        DeviceFile(path).load_or_make()
    assert path.read_bytes() == damage


def test_an_identity_that_cannot_be_stored_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RefusedError, match="cannot be"):
        DeviceFile(tmp_path / "file" / "device.key").load_or_make()


def test_only_a_schema_refusal_allows_a_second_request() -> None:
    params = {"key": KEY, "reason": "new"}
    assert fewer_params(params, AnswerError({"message": "unexpected property 'key'"})) is None
    assert fewer_params(params, AnswerError({"message": "has an active run"})) is None
    assert fewer_params(params, AnswerError({})) is None
