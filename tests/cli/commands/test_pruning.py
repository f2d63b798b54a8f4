"""`prune-preview`: what is shown of one session, and what of it is read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import PlatformConfig
from memconsole.domain.transcripts.records import Attachment, Compaction, Entry, EntryKind, ToolUse
from tests.cli.caller import stored
from tests.cli.contract import check_envelope
from tests.doubles.platform import NOW

if TYPE_CHECKING:
    from tests.cli.caller import Caller
    from tests.doubles.bundle import World

KEY = "agent:main:main"


def entry(number: int, role: str, **changes: object) -> Entry:
    base = Entry(
        EntryKind.MESSAGE,
        id=f"{number:08x}",
        parent_id=f"{number - 1:08x}" if number else None,
        has_parent=True,
        at=NOW,
        role=role,
        position=number,
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def result(number: int, chars: int, name: str = "exec", **changes: object) -> Entry:
    return entry(number, "toolResult", tools=(ToolUse(name, chars, is_result=True),), **changes)


@pytest.fixture(autouse=True)
def session(world: World) -> None:
    """One talk over the soft ratio of a window of 200,000 tokens."""
    one = stored(world.platform.agents[0].ref, KEY, 1_000)
    world.sessions.hold(one)
    picture = Attachment("image/png", 700_000)
    world.sessions.transcripts[one.session_id or ""] = [
        entry(0, "user", text="u" * 200_000),
        result(1, 90_000),
        result(2, 500, attachments=(picture,)),
        entry(3, "assistant", text="a" * 10, thinking_chars=5),
        entry(4, "assistant", tools=(ToolUse("exec", 85, is_result=False),)),
        entry(5, "user", text="mirror" * 9, is_injected=True),
        entry(6, "assistant", text="a" * 400),
        result(7, 9_000, "read"),
    ]


def test_each_result_has_its_action_and_its_reason(call: Caller) -> None:
    found = call.json("prune-preview", KEY, "--mode", "adaptive")
    check_envelope(found.envelope)
    rows = [
        (one["index"], one["tool"], one["action"], one["reason"]) for one in found.data["results"]
    ]
    assert rows == [
        (1, "exec", "trim", "over-max-chars"),
        (2, "exec", "keep", "has-image"),
        (6, "read", "keep", "recent"),
    ]
    totals = found.data["totals"]
    assert totals["chars_before"] == 200_000 + 90_000 + 8_500 + 15 + 85 + 400 + 9_000
    assert (totals["kept"], totals["trimmed"], totals["cleared"]) == (2, 1, 0)
    assert totals["percent_before"] == 38.5
    assert "38.5 % of the window" in call("prune-preview", KEY, "--mode", "adaptive").out


def test_without_options_it_is_what_is_configured(world: World, call: Caller) -> None:
    found = call.json("prune-preview", KEY).data
    assert (found["mode"], found["gate"]) == ("off", "mode-off")
    assert "pruning is off" in call("prune-preview", KEY).out
    pruning = {"mode": "cache-ttl", "ttl": "4h"}
    world.platform.config = PlatformConfig(
        checked={"agents": {"defaults": {"contextPruning": pruning}}}
    )
    found = call.json("prune-preview", KEY).data
    assert (found["mode"], found["ttl_s"], found["gate"]) == ("cache-ttl", 14_400, "ttl-not-over")
    assert found["due_at"] == "2026-01-26T17:20:00+00:00"
    later = call.json("prune-preview", KEY, "--at", "2026-01-26T18:20:00+01:00").data
    assert later["totals"]["trimmed"] == 1
    sooner = call.json("prune-preview", KEY, "--ttl", "0s").data
    assert sooner["totals"]["trimmed"] == 1


def test_only_what_is_sent_since_the_last_compaction_counts(world: World, call: Caller) -> None:
    [entries] = world.sessions.transcripts.values()
    summary = Compaction("s" * 50, first_kept_id=f"{6:08x}")
    entries.append(entry(8, "", kind=EntryKind.COMPACTION, compaction=summary))
    entries.append(entry(9, "assistant", text="b" * 7))
    found = call.json("prune-preview", KEY, "--mode", "aggressive").data
    assert found["totals"]["chars_before"] == 50 + 400 + 9_000 + 7
    assert found["gate"] == "few-assistants"


@pytest.mark.parametrize(
    "words",
    [("--mode", "hard"), ("--ttl", "soon"), ("--ttl", "600"), ("--at", "noon")],
)
def test_wrong_options_are_named(words: tuple[str, ...], call: Caller) -> None:
    found = call("prune-preview", KEY, *words)
    assert found.code == 2
    assert words[0] in found.err


def test_an_unknown_session_is_a_wrong_call(call: Caller) -> None:
    assert call.json("prune-preview", "agent:main:nobody").error["code"] == "unknown-session"
