"""Checks of context pruning and of the reset policy."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from memconsole.domain.agents import Severity, Storage
from memconsole.domain.config_check.finding import Change, Finding, shown, whole
from memconsole.domain.freshness import base_policy, usual_reset
from memconsole.domain.pruning import PRUNING
from memconsole.domain.release import (
    ACCOUNTS_HAVE_LIMITS,
    DIRECT_IS_KNOWN,
    NO_DAILY_RESET,
    OLD_RESETS_ARE_GONE,
)
from memconsole.domain.sessions.keys import GLOBAL
from memconsole.text import figures
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memconsole.domain.config_check.finding import ConfigFacts

RECOMMENDED_TTL = "4h"
RECOMMENDED_HOUR = 5
RECOMMENDED_IDLE = {"direct": 360, "group": 180}
"""Minutes after which a session begins anew, beside the daily reset; the first of both counts."""

_PRUNING_MODES = ("off", "cache-ttl")
_RESET_MODES = ("daily", "idle")
_BARE = re.compile(r"\s*(\d{1,9})\s*")
_SPAN = re.compile(r"\s*\d+(?:\.\d+)?\s*(?:ms|s|m|h|d)\s*", re.IGNORECASE)


def check_pruning(facts: ConfigFacts) -> Iterator[Finding]:
    """Yield mode and ttl as they are, and a ttl that is read otherwise than it looks."""
    mode, ttl = facts.at(*PRUNING, "mode"), facts.at(*PRUNING, "ttl")
    if mode is not None and mode not in _PRUNING_MODES:
        yield Finding(
            "pruning-mode",
            Severity.WARNING,
            "the platform knows the pruning modes off and cache-ttl; others are of older notes",
            key=".".join((*PRUNING, "mode")),
            current=shown(mode),
            recommended="cache-ttl",
            hint=f"`cache-ttl` prunes by age, `off` not at all. {_REFUSED}",
        )
    if ttl is not None:
        yield from _ttl(ttl)
    if mode is not None or ttl is not None:
        yield Finding(
            "pruning",
            Severity.INFO,
            f"context pruning is {shown(mode)}, its ttl {shown(ttl)}",
            key=".".join(PRUNING),
            current=shown(mode),
        )


def _ttl(ttl: object) -> Iterator[Finding]:
    """`"600"` is read as minutes: said, and the unit that is meant anyway offered."""
    key = (*PRUNING, "ttl")
    bare = _BARE.fullmatch(str(ttl)) if isinstance(ttl, str | int) else None
    if isinstance(ttl, str) and bare is None and _SPAN.fullmatch(ttl):
        return
    if bare is None or isinstance(ttl, bool):
        yield Finding(
            "pruning-ttl",
            Severity.WARNING,
            "it is no duration such as 5m or 4h",
            key=".".join(key),
            current=shown(ttl),
            recommended=RECOMMENDED_TTL,
            changes=(Change(key, RECOMMENDED_TTL),),
        )
        return
    yield Finding(
        "pruning-ttl",
        Severity.WARNING,
        f"without a unit the platform reads {bare[1]} minutes",
        key=".".join(key),
        current=shown(ttl),
        recommended=f"{bare[1]}m",
        changes=(Change(key, f"{bare[1]}m"),),
        hint=f"Write {bare[1]}s if seconds were meant.",
    )


def check_reset(facts: ConfigFacts) -> Iterator[Finding]:
    """Yield the policy that is in effect, and values of it that mean nothing."""
    release = facts.least_release
    # Sessions in files are kept by releases that do not know it.
    is_old = facts.era.sessions is Storage.FILES if release is None else release < NO_DAILY_RESET
    modes = _RESET_MODES if is_old else (*_RESET_MODES, "none")
    for name, block in _policies(facts):
        yield from _odd_values(name, block, modes)
    yield from _words_of_others(facts)
    rule, sentence = _effective(facts)
    yield Finding("session-reset", Severity.INFO, sentence, key="session.reset", current=rule)


def check_reach(facts: ConfigFacts) -> Iterator[Finding]:
    """Yield what keeps an agent from what it wrote down, or from what was said before."""
    if facts.at("plugins", "slots", "memory") == "none":
        yield Finding(
            "memory-off",
            Severity.WARNING,
            "the platform's memory is switched off: no agent can search what it wrote down",
            key="plugins.slots.memory",
            current="none",
            recommended="memory-core",
            hint="Checkpoints go on; `memconsole hooks install` still gives a start its memory.",
        )
    yield from _short_histories(facts)
    yield from _scope(facts)


def _short_histories(facts: ConfigFacts) -> Iterator[Finding]:
    """Yield how few turns of a direct chat the model is sent; what is older is only on disk."""
    release = facts.least_release
    has_accounts = release is not None and release >= ACCOUNTS_HAVE_LIMITS
    cut = _CUT_SCOPES if has_accounts else _CUT_SCOPES[:1]
    is_cut = facts.config.session_scope != GLOBAL and facts.at("session", "dmScope") in cut
    for key, whose, turns in _limits(facts, has_accounts=has_accounts):
        told = (
            f"of {whose} the model is sent the last {turns} turns only; older ones are in the "
            "transcript, and a low token count is no sign of a short session"
            if is_cut
            else f"it would cut {whose} to {turns} turns, but cuts nothing: by `session.dmScope` "
            "these have no session for each person on each channel"
        )
        yield Finding("history-limit", Severity.INFO, told, key=key, current=str(turns))


def _limits(facts: ConfigFacts, *, has_accounts: bool) -> Iterator[tuple[str, str, int]]:
    """Yield key, whose chats are meant, and turns of each limit that is set."""
    for name, channel in _tables(facts.at("channels")):
        accounts = _tables(channel.get("accounts")) if has_accounts else ()
        parts = [(name, channel), *((f"{name}.accounts.{one}", it) for one, it in accounts)]
        for place, part in parts:
            rows = [("dmHistoryLimit", "direct chats", part.get("dmHistoryLimit"))]
            for peer, one in _tables(part.get("dms")):
                rows.append(
                    (f"dms.{peer}.historyLimit", "one direct chat", one.get("historyLimit"))
                )
            for key, whose, limit in rows:
                if (turns := whole(limit)) is not None and turns > 0:
                    yield (
                        f"channels.{one_line(place)}.{one_line(key)}",
                        f"{whose} on {one_line(name)}",
                        turns,
                    )


def _tables(value: object) -> Iterator[tuple[str, Mapping[str, object]]]:
    for name, one in value.items() if isinstance(value, dict) else ():
        if isinstance(one, dict):
            yield str(name), one


def _scope(facts: ConfigFacts) -> Iterator[Finding]:
    """Yield who shares a session, where that is not the usual: what one says, all are told."""
    if facts.config.session_scope == GLOBAL:
        yield Finding(
            "session-scope",
            Severity.INFO,
            "everybody talks in one session: a reset ends the conversation of all",
            key="session.scope",
            current=GLOBAL,
        )
        return
    for name, usual, told in _SCOPES:
        scope = facts.at("session", name)
        if isinstance(scope, str) and scope != usual:
            yield Finding(
                "session-scope", Severity.INFO, told, key=f"session.{name}", current=shown(scope)
            )


_CUT_SCOPES = ("per-channel-peer", "per-account-channel-peer")
"""Values of `session.dmScope` under which the platform cuts histories of direct chats; the second
as long as accounts have limits."""

_SCOPES = (
    (
        "dmScope",
        "main",
        "each person who writes directly has a session of their own: another one's session knows "
        "nothing of it, memory files alone do, and each is saved and reset by itself",
    ),
    (
        "groupScope",
        "per-group",
        "groups talk in the agent's main session: what is said there is in it, and a reset ends "
        "both",
    ),
)
"""Keys of who shares a session, their usual values, and what another one changes."""


def recommend_session(facts: ConfigFacts) -> Iterator[Finding]:
    """Yield optional advice on resets and pruning."""
    policy = recommended_reset(facts.least_release)
    if any(facts.at("session", key) != value for key, value in policy.items()):
        yield Finding(
            "session-reset",
            Severity.INFO,
            "a reset at 05:00, and sooner after idle hours, keeps sessions short; memconsole saves "
            "them before",
            key="session",
            current=_effective(facts)[0],
            recommended=json.dumps(policy),
            hint="Put it into `session` by hand: it changes when conversations end.",
        )
    if facts.at(*PRUNING, "ttl") != RECOMMENDED_TTL:
        yield Finding(
            "pruning-ttl",
            Severity.INFO,
            "tool results are best kept as long as a session counts as running: 4 hours",
            key=".".join((*PRUNING, "ttl")),
            current=shown(facts.at(*PRUNING, "ttl")),
            recommended=RECOMMENDED_TTL,
        )


def recommended_reset(release: tuple[int, int, int] | None) -> dict[str, object]:
    """Return the policy for `session`, in the words that a release accepts.

    The mode of a type takes the place of the mode of all: with `idle` there the daily reset would
    be off, so each type says `daily` and its idle minutes. Releases of the platform refuse a whole
    configuration for a word that they do not know; where nobody knows the release, it is one of
    those that keep all in files, and `dm` is what all of them accept.
    """
    direct = "dm" if release is None or release < DIRECT_IS_KNOWN else "direct"
    words = {"direct": direct, "group": "group"}
    daily: dict[str, object] = {"mode": "daily", "atHour": RECOMMENDED_HOUR}
    by_type = {words[kind]: {**daily, "idleMinutes": one} for kind, one in RECOMMENDED_IDLE.items()}
    return {"reset": daily, "resetByType": by_type}


def _policies(facts: ConfigFacts) -> Iterator[tuple[str, Mapping[str, object]]]:
    base = facts.at("session", "reset")
    if isinstance(base, dict):
        yield "session.reset", base
    for group in ("resetByType", "resetByChannel"):
        rows = facts.at("session", group)
        for name, block in (rows if isinstance(rows, dict) else {}).items():
            if isinstance(block, dict):
                yield f"session.{group}.{one_line(str(name))}", block


def _odd_values(name: str, block: Mapping[str, object], modes: Sequence[str]) -> Iterator[Finding]:
    hour, idle, mode = block.get("atHour"), block.get("idleMinutes"), block.get("mode")
    at = whole(hour)
    rows = (
        ("mode", mode, mode in modes, f"the modes are {', '.join(modes[:-1])} and {modes[-1]}"),
        ("atHour", hour, at is not None and at < 24, "0 to 23 is meant"),
        ("idleMinutes", idle, (whole(idle) or 0) >= 1, "1 minute is the least"),
    )
    for key, value, is_right, why in rows:
        if value is not None and not is_right:
            yield Finding(
                "session-reset",
                Severity.WARNING,
                f"it means nothing there: {why}",
                key=f"{name}.{key}",
                current=shown(value),
                hint=_REFUSED,
            )


_REFUSED = "Correct it: the platform refuses its whole configuration for it."
"""Measured on 2026.1.24-3, 2026.3.13 and 2026.9.6, whose Gateways do not start then."""


def _words_of_others(facts: ConfigFacts) -> Iterator[Finding]:
    """Yield keys of resets that other releases have and this one refuses."""
    release = facts.least_release
    if release is None:
        return
    rows = (
        (("idleMinutes",), release >= OLD_RESETS_ARE_GONE, "`session.reset.idleMinutes`"),
        (("resetByType", "dm"), release >= OLD_RESETS_ARE_GONE, "`session.resetByType.direct`"),
        (("resetByType", "direct"), release < DIRECT_IS_KNOWN, "`session.resetByType.dm`"),
    )
    for keys, is_refused, instead in rows:
        if is_refused and (found := facts.at("session", *keys)) is not None:
            yield Finding(
                "session-reset",
                Severity.WARNING,
                f"this release does not know the key; it is {instead} there",
                key=".".join(("session", *keys)),
                current=shown(found),
                hint=_REFUSED,
            )


def _effective(facts: ConfigFacts) -> tuple[str, str]:
    """Return the rule of sessions without one of their own, in short and as a sentence."""
    session = facts.at("session")
    written = session if isinstance(session, dict) else {}
    usual = usual_reset(facts.release, facts.era.sessions, assume=facts.assume)
    policy = base_policy(written, usual=usual)
    overrides = sum(name != "session.reset" for name, _ in _policies(facts))
    more = f"; {figures.plural(overrides, 'override')}" if overrides else ""
    return policy.words + more, policy.stated + more
