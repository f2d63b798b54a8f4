"""Checks of what memconsole writes and of the memory folders."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.domain.agents import UNREADABLE
from memconsole.domain.checkpoint.rules import touched_at
from memconsole.domain.commands.outcomes import SkipReason
from memconsole.domain.health import Check, CheckStatus, listed, named, ok, unknown
from memconsole.domain.index_md import INDEX
from memconsole.domain.memory.observations import OBSERVATIONS
from memconsole.domain.memory.secrets import SecretCounts, counts_of, file_stamp
from memconsole.domain.search.indexing import IndexState
from memconsole.domain.sessions.stored import SessionState
from memconsole.text.estimate import exceeds, tokens_for, tokens_in, words_in
from memconsole.text.figures import plural, short_kilo
from memconsole.text.outgoing import name_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from memconsole.domain.memory.files import Pool, PoolItem
    from memconsole.domain.snapshot.snapshot import AgentView
    from memconsole.engine.health.inputs import HealthInputs

_ARCHIVES = ("memory/archive/", "memory/observation-backups/")
_KILOBYTE = 1024
_CHECKPOINT_TURNS = 2
_INDEX_AGE = timedelta(hours=12)
_STALE_INDEX = timedelta(hours=1)
_SKIPS = 3
_RUNS, _RUNS_EACH = 50, 10
"""Runs that are looked at: some more than three of each agent."""

_FINE = (SkipReason.NOTHING_NEW.value, SkipReason.TOO_FEW_MESSAGES.value)


def _file_limit_kb(inputs: HealthInputs, pool: Pool) -> int:
    """Return what a file of a pool may take: the least that one of its agents allows."""
    return min(inputs.settings.for_agent(one).health.memory_file_kb for one in pool.agents)


def memory_file_size(inputs: HealthInputs) -> Check:
    """Which memory files are too large to be read whole; archives may be."""
    large = sorted(
        (item.size_bytes, f"{pool.agents[0]}/{item.path}", limit_kb)
        for pool in _pools(inputs)
        for limit_kb in [_file_limit_kb(inputs, pool)]
        for item in pool.items
        if item.is_counted
        and item.size_bytes > limit_kb * _KILOBYTE
        and not item.path.startswith(_ARCHIVES)
    )[::-1]
    if not large:
        if (blind := _blind(inputs, "memory-file-size")) is not None:
            return blind
        return ok("memory-file-size", f"no memory file is over {inputs.rules.memory_file_kb} KB", 0)
    names = [f"{name} ({size // _KILOBYTE} KB)" for size, name, _ in large]
    limit_kb = min(one for _, _, one in large)
    return Check(
        "memory-file-size",
        CheckStatus.WARNING,
        f"{len(large)} memory files are over {limit_kb} KB: {named(names)}",
        large[0][0],
        limit_kb * _KILOBYTE,
        hint="Split them, or archive what is old: agents read them in pieces.",
        details=tuple(names[:5]),
    )


def secrets(inputs: HealthInputs) -> Check:
    """Whether memory files hold secrets, as `memconsole secrets` found when it looked last."""
    looks = counts_of(inputs.own.secrets.read())
    found: dict[str, int] = {}
    files, left = 0, 0
    for pool in _pools(inputs):
        look = looks.get(name_out(str(pool.root)), SecretCounts(inputs.now, {}))
        for item in pool.items:
            if not item.is_counted:
                continue
            files += 1
            stamp = file_stamp(item.size_bytes, item.modified_at)
            number, is_same = look.known(item.path, stamp)
            left += not is_same
            if number:
                found[f"{pool.agents[0]}/{item.path}"] = number
    if found:
        return _secrets_found(found, left)
    if left:
        inputs.runs.require_readable()  # what was found earlier is kept there too
        rest = f"{left} of {plural(files, 'memory file')} changed since it was looked for secrets"
        message = rest if looks else "nobody has looked for secrets yet"
        return unknown("secrets", message, hint="`memconsole secrets` looks, and changes nothing.")
    if (blind := _blind(inputs, "secrets")) is not None:
        return blind
    return ok("secrets", f"no secret was found in {plural(files, 'memory file')}", 0)


def _secrets_found(found: Mapping[str, int], left: int) -> Check:
    number = sum(found.values())
    verb = "stands" if number == 1 else "stand"
    rest = f"; {plural(left, 'file')} changed since it was looked" if left else ""
    return Check(
        "secrets",
        CheckStatus.WARNING,
        f"{plural(number, 'secret')} {verb} in memory: {named(found)}{rest}",
        number,
        1,
        hint="`memconsole secrets` shows where; `memory forget PATH:LINE --hard` leaves no copy.",
        details=tuple(found)[:5],
    )


def capture_skips(inputs: HealthInputs) -> Check:
    """Whether checkpoints of an agent keep skipping while people talk to it."""
    inputs.runs.require_readable()
    agents = inputs.snapshot.agents
    runs = inputs.runs.runs(
        limit=max(_RUNS, _RUNS_EACH * len(agents)),
        home=str(inputs.snapshot.home.path),
        command="checkpoint",
    )
    found: list[str] = []
    for view in agents:
        mine = [one for one in runs if one.agent == view.ref.id]
        skips = []
        for one in mine:
            if one.status == "done" or one.reason in _FINE:
                break
            skips.append(one)
        talked = _last_words(inputs, view)
        is_missed = talked is not None and bool(skips) and talked > skips[-1].started_at
        if len(skips) >= _SKIPS and is_missed:
            found.append(f"{view.ref.id} ({len(skips)} times: {skips[0].reason})")
    return listed(
        "capture-skips",
        found,
        fine="no agent's checkpoints skip while messages arrive",
        bad="checkpoints skip while messages arrive:",
        hint="`memconsole runs` tells why.",
    )


def outputs_freshness(inputs: HealthInputs) -> Check:
    """Whether ACTIVE_CONTEXT.md and INDEX.md keep up with what they are made of."""
    return listed(
        "outputs-freshness",
        [*_old_contexts(inputs), *_old_indexes(inputs)],
        fine="ACTIVE_CONTEXT.md and INDEX.md are up to date",
        bad="behind:",
        hint="`memconsole checkpoint` and `memconsole index-md` renew them.",
    )


def observations_budget(inputs: HealthInputs) -> Check:
    """Whether observations.md is over its budget."""
    over: list[str] = []
    most, limit = 0, inputs.settings.reflector.word_threshold
    for pool in _pools(inputs):
        own = inputs.settings.for_agent(pool.agents[0]).reflector.word_threshold
        if not any(item.path == OBSERVATIONS for item in pool.items):
            continue
        seen = inputs.workspace.read(pool.root, OBSERVATIONS)
        text = "" if seen is None else seen.text
        words = words_in(text)
        most = max(most, words)
        if exceeds(text, own):
            limits = "" if own == limit else f" of {own}"
            over.append(
                f"{pool.agents[0]} ({words}{limits} words, {short_kilo(tokens_in(text))} tokens)"
            )
    if not over:
        if (blind := _blind(inputs, "observations-budget")) is not None:
            return blind
        return ok("observations-budget", "observations keep to their budget", most, limit)
    return Check(
        "observations-budget",
        CheckStatus.WARNING,
        f"observations over {limit} words or {short_kilo(tokens_for(limit))} tokens: {named(over)}",
        most,
        limit,
        hint="`memconsole reflect` consolidates them.",
        details=tuple(over),
    )


_OUT_OF_DATE = "`memconsole reindex` brings them up to date; deleting one is safe."
_PROVIDER = "`pip install 'memconsole[quality]'`, or choose another `search.provider`."


def index(inputs: HealthInputs) -> Check:
    """Whether what is searched is what is there."""
    bad: list[str] = []
    whole: list[str] = []
    total = waiting = 0
    wants_quality = inputs.settings.is_on(lambda one: one.search.provider == "quality")
    for (agent, source), status in inputs.indexes().items():
        total += 1
        waiting += status.waiting or 0
        age = None if status.updated_at is None else inputs.now - status.updated_at
        is_late = status.state is IndexState.STALE and (age is None or age > _STALE_INDEX)
        if is_late or status.state is IndexState.UNAVAILABLE:
            because = f": {status.because}" if status.because else ""
            bad.append(f"{agent} {source.value} is {status.state.value}{because}")
        elif status.because and status.state is IndexState.FRESH:
            whole.append(f"{agent} {source.value}: {status.because}")
    if not bad and not whole:
        more = (
            f"; {plural(waiting, 'chunk')} still without a vector of its model" if waiting else ""
        )
        return ok("index", f"{total} search indexes are as they should be{more}", total)
    return Check(
        "index",
        CheckStatus.WARNING,
        named([*bad, *whole]),
        len(bad) + len(whole),
        1,
        hint=_OUT_OF_DATE if bad else _PROVIDER if wants_quality else "",
        details=(*bad, *whole),
    )


def bootstrap_truncation(inputs: HealthInputs) -> Check:
    """Which files the platform cuts when it gives them to a session."""
    over = [
        f"{pool.agents[0]}/{one.path} "
        f"({short_kilo(one.chars)} of {short_kilo(one.limit)} characters)"
        for pool in _pools(inputs)
        for one in pool.limits
        if one.is_over
    ]
    if not over and (blind := _blind(inputs, "bootstrap-truncation")) is not None:
        return blind
    return listed(
        "bootstrap-truncation",
        over,
        fine="every file that the platform loads fits",
        bad="the platform cuts",
        hint="Move what is seldom needed into memory/, where agents search for it.",
    )


def _blind(inputs: HealthInputs, check_id: str) -> Check | None:
    """Return that nobody could look, where a memory cannot be read or found; else None."""
    unread = [
        f"{pool.agents[0]}: {notice.message}"
        for view in inputs.snapshot.agents
        if (pool := view.pool) is not None
        for notice in (*pool.notices, pool.doubt)
        if notice is not None and (notice is pool.doubt or notice.code == UNREADABLE)
    ]
    if not unread:
        return None
    return unknown(
        check_id,
        f"could not look: {named(dict.fromkeys(unread))}",
        hint="Check owner and mode of what cannot be read.",
    )


def _pools(inputs: HealthInputs) -> tuple[Pool, ...]:
    """Return every pool once, however many agents share it."""
    found = {view.pool.root: view.pool for view in inputs.snapshot.agents if view.pool is not None}
    return tuple(pool for pool in found.values() if pool.exists)


def _last_words(inputs: HealthInputs, view: AgentView) -> datetime | None:
    times = (
        touched_at(one.stored)
        for one in inputs.snapshot.sessions
        if one.agent == view.ref
        and one.state is SessionState.LIVE
        and one.is_capturable
        and one.transcript is not None
    )
    return max((time for time in times if time is not None), default=None)


def _old_contexts(inputs: HealthInputs) -> Iterator[str]:
    for view in inputs.snapshot.agents:
        rules = inputs.settings.for_agent(view.ref.id).checkpoint
        talked, saved = _last_words(inputs, view), view.checkpoint_at
        if talked is None or view.pool is None or not view.pool.exists:
            continue
        is_active = inputs.now - talked <= rules.stale_after
        waited = inputs.now - max(saved or talked, talked)
        behind = saved is None or talked - saved > _CHECKPOINT_TURNS * rules.interval
        if is_active and behind and (saved is None or waited >= timedelta(0)):
            yield f"ACTIVE_CONTEXT.md of {view.ref.id}"


def _old_indexes(inputs: HealthInputs) -> Iterator[str]:
    for pool in _pools(inputs):
        if pool.size_bytes < inputs.settings.for_agent(pool.agents[0]).index_md.min_pool_bytes:
            continue
        made = next((item.modified_at for item in pool.items if item.path == INDEX), None)
        if made is None:
            continue  # none was ever made: that is a choice, not an age
        changed = [item for item in pool.items if _is_newer(item, made)]
        if changed and inputs.now - made > _INDEX_AGE:
            yield f"INDEX.md of {pool.agents[0]}"


def _is_newer(item: PoolItem, made: datetime) -> bool:
    is_memory = item.path.startswith("memory/") and item.path != INDEX
    return is_memory and item.modified_at is not None and item.modified_at > made
