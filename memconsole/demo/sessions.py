"""Plays the sessions of the cast: their transcripts, and what the store says of them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.demo.cast import CRON_RUNS, Count, Fate
from memconsole.demo.records import Transcript, milliseconds, uuid_of
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from memconsole.demo.cast import AgentPlan, SessionPlan, Stage
    from memconsole.demo.content import Turn
    from memconsole.demo.records import Fields

_SMALLEST_SHARE = 0.25
_SKILLS = "Skill: read, write, exec, message, web_search. " * 60
"""Most of a real entry is a snapshot of skills and prompts."""

_SUMMARY = (
    "## Goal\nOverview of sodium-ion cells for stationary storage.\n\n## Decided\n"
    "- The two pouch-cell studies carry the argument\n- Preprints carry a dagger\n\n"
    "## Open\n- Annex B of the grid study is missing"
)


@dataclass(frozen=True, slots=True)
class Session:
    """One played session.

    Attributes:
        key: As the store spells it; "" for an orphan.
        transcript: None when it never ran.
        entry: What the store says of it.
        at: Time of its last message.
    """

    plan: SessionPlan
    agent_id: str
    key: str
    id: str
    at: datetime
    transcript: Transcript | None
    entry: Fields


def play(
    stage: Stage, agent: AgentPlan, conversations: Mapping[str, Sequence[Turn]]
) -> list[Session]:
    """Play all sessions of an agent."""
    return [_play(stage, agent, plan, conversations) for plan in agent.sessions]


def _play(
    stage: Stage, agent: AgentPlan, plan: SessionPlan, conversations: Mapping[str, Sequence[Turn]]
) -> Session:
    age = plan.age.total_seconds()
    session_id = uuid_of(stage.seed, agent.id, plan.rest, plan.fate.name, age)
    at = stage.now - plan.age
    transcript = None
    if plan.conversations:
        said = [conversations[name] for name in plan.conversations]
        if plan.status == "failed":
            said = [said[0][:1]]
        has_break = plan.is_restarted or plan.compacted_at is not None
        count = 1 + sum(map(len, said)) + has_break
        times = _times(count, at, plan.span, stage.chance(session_id))
        transcript = Transcript(session_id, next(times), version=4 if agent.is_sqlite else 3)
        _tell(transcript, plan, said, times)
    key = f"agent:{agent.id}:{plan.rest}" if plan.fate is not Fate.ORPHAN else ""
    entry = _entry(agent, plan, session_id, at)
    return Session(plan, agent.id, key, session_id, at, transcript, entry)


def _tell(
    transcript: Transcript,
    plan: SessionPlan,
    said: Sequence[Sequence[Turn]],
    times: Iterator[datetime],
) -> None:
    total, done = sum(map(len, said)), 0
    for number, turns in enumerate(said):
        is_last = number == len(said) - 1
        if is_last and plan.is_restarted:
            transcript.reset(next(times))
        elif is_last and plan.compacted_at is not None:
            before = plan.compacted_at
            transcript.compaction(next(times), _SUMMARY, before, plan.tokens // 4)
        for turn in turns:
            done += 1
            share = _SMALLEST_SHARE + (1 - _SMALLEST_SHARE) * done / total
            size = plan.tokens if plan.compacted_at is None or is_last else plan.compacted_at
            add_turn(transcript, turn, next(times), round(size * share))


def _times(count: int, at: datetime, span: timedelta, chance: random.Random) -> Iterator[datetime]:
    """Yield the moments of a transcript, the last one at `at`: people talk in bursts."""
    steps = [chance.expovariate(1.0) + 0.05 for _ in range(count - 1)]
    total = left = sum(steps)
    for step in steps:
        yield at - span * (left / total)
        left -= step
    yield at


def add_turn(transcript: Transcript, turn: Turn, at: datetime, tokens: int) -> None:
    """Add one turn of a session; `tokens` is the size of the context then."""
    match turn.kind:
        case "U" | "I":
            transcript.user(at, turn.text, has_picture=turn.kind == "I")
        case "T":
            transcript.tool(at, turn.text, turn.call, turn.result, tokens)
        case _:
            transcript.assistant(at, turn.text, tokens)


def _entry(agent: AgentPlan, plan: SessionPlan, session_id: str, at: datetime) -> Fields:
    when = milliseconds(at)
    entry: Fields = {
        "sessionId": session_id,
        "updatedAt": when,
        "sessionStartedAt": milliseconds(at - plan.span),
        "lastInteractionAt": when,
        "chatType": plan.chat_type,
        "modelProvider": "anthropic",
        "model": "claude-sonnet-4-5",
        "compactionCount": int(plan.compacted_at is not None),
        "contextTokens": plan.window,
        "status": plan.status,
        "skillsSnapshot": {"prompt": _SKILLS, "version": when},
    }
    if plan.conversations and plan.count is not Count.ABSENT:
        is_fresh = plan.count is Count.FRESH
        tokens = plan.tokens if plan.reported is None else plan.reported
        entry |= {"totalTokens": tokens, "totalTokensFresh": is_fresh}
        if agent.is_sqlite and is_fresh:
            entry["totalTokensVersion"] = 1
    if plan.status == "failed":
        entry["lastRunError"] = "provider answered 529 overloaded_error three times"
    if plan.parent is not None:
        entry["spawnedBy"] = f"agent:{agent.id}:{plan.parent}"
    texts = {"label": plan.label, "channel": plan.channel}
    return entry | {name: text for name, text in texts.items() if text is not None}


def cron_runs(
    stage: Stage, some: Session, conversation: Sequence[Turn]
) -> Iterator[tuple[str, Fields, Transcript]]:
    """Yield (key, entry, transcript) of the past runs of one cron job, newest first.

    The file era keeps an entry for each run beside the job's own.

    Args:
        stage: When it plays.
        some: A session of the same agent, whose entry is the pattern.
        conversation: What is said in each run.
    """
    agent_id, job, _, count = CRON_RUNS
    for number in range(count):
        run_id = uuid_of(stage.seed, agent_id, job, number)
        at = stage.now - timedelta(days=number, hours=6)
        transcript = Transcript(run_id, at - timedelta(minutes=1), version=3)
        tokens = 14_000 + 37 * number
        for turn in conversation:
            add_turn(transcript, turn, at, tokens)
        fresh = {"totalTokens": tokens, "totalTokensFresh": True}
        entry = {**some.entry, **fresh, "sessionId": run_id, "updatedAt": milliseconds(at)}
        entry = {name: value for name, value in entry.items() if name != "label"}
        yield f"agent:{agent_id}:cron:{job}:run:{run_id}", entry, transcript
