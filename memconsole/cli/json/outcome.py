"""Outcomes, runs and errors as the JSON objects of `docs/contract.md`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.cli.json.encode import SCHEMA
from memconsole.domain.commands.command import key_of, name_of
from memconsole.domain.commands.outcomes import Failed, Skipped, reason_of, status_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memconsole.cli.json.encode import Json, Row
    from memconsole.domain.commands.outcomes import Account, Outcome, Run, Written


def outcome(one: Outcome) -> Row:
    """Return what came of one command."""
    return {
        "command": name_of(one.command),
        "agent": one.command.agent.id or None,
        "key": key_of(one.command) or session_key_of(one),
        "status": status_of(one),
        "reason": reason_of(one),
        "message": one.message,
        "hint": hint_of(one),
        "duration_ms": one.duration_ms,
        "wrote": [
            {"path": Path(file.path), "bytes": file.size_bytes, "mode": file.mode}
            for file in wrote_of(one)
        ],
        "details": dict(one.details),
    }


def told(
    command: str,
    status: str,
    message: str,
    *,
    key: str | None = None,
    reason: str | None = None,
    hint: str = "",
    duration_ms: int | None = None,
    wrote: Iterable[tuple[Path, int]] = (),
    details: Mapping[str, Json] | None = None,
) -> Row:
    """Return the same of what was done without a command of the engine.

    Args:
        command: Name on the command line.
        status: `done`, `planned`, `skipped` or `failed`.
        message: What was done.
        key: What it was done to.
        reason: Why it was not done.
        hint: What to do next.
        duration_ms: How long it took.
        wrote: Files of our own that were or would be written, with their bytes.
        details: What else there is to say.
    """
    return {
        "command": command,
        "agent": None,
        "key": key,
        "status": status,
        "reason": reason,
        "message": message,
        "hint": hint or None,
        "duration_ms": duration_ms,
        "wrote": [{"path": path, "bytes": size, "mode": "0600"} for path, size in wrote],
        "details": details or {},
    }


def hint_of(one: Outcome) -> str | None:
    """Return what to do next, None when there is nothing to do."""
    return (one.hint or None) if isinstance(one, Skipped | Failed) else None


def failures(outcomes: Iterable[Outcome]) -> tuple[tuple[str, str], ...]:
    """Return the sentence and the help of each action that failed."""
    return tuple((one.message, one.hint) for one in outcomes if isinstance(one, Failed))


def wrote_of(one: Outcome) -> tuple[Written, ...]:
    """Return the files that were or would be written."""
    return () if isinstance(one, Skipped | Failed) else one.wrote


def session_key_of(one: Outcome) -> str | None:
    """Return the key of the session that the command chose by itself."""
    found = one.details.get("session_key")
    return found if isinstance(found, str) else None


def run(one: Run) -> Row:
    """Return one line of the run log."""
    return {
        "id": one.id,
        "job": one.job,
        "command": one.command,
        "origin": one.origin.value,
        "started_at": one.started_at,
        "ended_at": one.ended_at,
        "status": one.status,
        "reason": one.reason,
        **account(one.account),
    }


def account(one: Account | None) -> Row:
    """Return the steps of a run and its proof; null for what an older release did not keep."""
    if one is None:
        return {"steps": None, "proof": None}
    proof = one.proof
    return {
        "steps": [
            {
                "step": step.name,
                "status": step.status,
                "duration_ms": step.duration_ms,
                "message": step.message,
            }
            for step in one.steps
        ],
        "proof": None if proof is None else {"verdict": proof.verdict.value, "text": proof.text},
    }


def error(code: str, message: str, hint: str) -> Row:
    """Return the whole answer of a call that failed; `hint` is null when there is none."""
    return {
        "schema": SCHEMA,
        "error": {"code": code, "message": message, "hint": hint or None},
    }
