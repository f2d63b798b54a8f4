"""What the screens of bootstrap and pruning have to show in the sample home."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.domain.bootstrap import HANDOVER_NAME, Bootstrap, Given, LineChoice, Weighing
from memconsole.domain.hooks import HookState, HookStatus
from memconsole.domain.memory.files import Limit
from memconsole.domain.memory.observation_log import parse
from memconsole.domain.pruning import ContextPart, PruningMode, PruningRules, preview
from memconsole.domain.sessions.keys import SessionClass
from memconsole.domain.summarize.handover import Handover
from memconsole.engine.pruning import PruningPreview
from tests.ui import sample

if TYPE_CHECKING:
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from tests.ui.fake_engine import FakeEngine

WORKSPACE = sample.pool("main").root

LIMITS = (
    Limit("AGENTS.md", 23_412, 20_000),
    Limit("SOUL.md", 3_100, 20_000),
    Limit("MEMORY.md", 18_200, 20_000),
    Limit("USER.md", 6_300, 16_900),
)


def _given(name: str, chars: int, whole: int | None = None) -> Given:
    path = f"{WORKSPACE}/memory/{name.replace('MEMORY_INDEX', 'INDEX')}"
    return Given(name, path, "x" * chars, whole)


def _weighed(given: Given) -> Given:
    """Return the observations with how they were chosen: the newest two, and one task."""
    lines = [
        f"- 🟡 14:05 The shelves of hall {n} were counted again <!-- dc:importance=1 -->"
        for n in range(40)
    ]
    task = r"- 🔴 09:00 \[TODO\] water the plants <!-- dc:importance=5 -->"
    text = "\n".join(["Date: 2025-06-01", "", *lines, "", "Date: 2026-01-25", "", task, ""])
    choice = LineChoice(parse(text), sample.NOW.date())
    return replace(given, weighing=Weighing(choice, choice.within(1_000), 50_000, 20_000))


def starts() -> tuple[Bootstrap, ...]:
    """Main and direct sessions are given three files, one of them cut."""
    files = (
        _given("MEMORY_INDEX.md", 6_800),
        _given("ACTIVE_CONTEXT.md", 2_150),
        _weighed(_given("observations.md", 20_000, 34_512)),
    )
    cut = (
        "observations.md: 212 of 380 observations, chosen by value; the rest stands in "
        "memory/observations.md"
    )
    talks = (SessionClass.MAIN, SessionClass.DIRECT)
    return tuple(
        Bootstrap(kind, files, (cut,))
        if kind in talks
        else Bootstrap(kind, (), (f"{kind.phrase} is given nothing",))
        for kind in SessionClass
    )


def handed_over(key: str, path: str) -> tuple[Handover, Bootstrap]:
    """A hand-over that waits, and what the next start of its session is given."""
    handover = Handover(sample.ref("main"), key, path, "s-1", sample.ago(minutes=26))
    text = Given(HANDOVER_NAME, f"{WORKSPACE}/{path}", "x" * 1_900)
    files = (text, _given("ACTIVE_CONTEXT.md", 2_150))
    return handover, Bootstrap(SessionClass.DIRECT, files, ())


def startup() -> Bootstrap:
    """What an agent reads by itself."""
    files = (_given("ACTIVE_CONTEXT.md", 2_150), _given("favorites.md", 900))
    return Bootstrap(SessionClass.MAIN, files, ("memory/2026-01-25.md: there is none",))


def hook(state: HookState) -> HookStatus:
    """The hook that gives files, in a state."""
    enabled = True if state is HookState.INSTALLED else None
    message = "its files are of another release" if state is HookState.OUTDATED else "it is there"
    return HookStatus("memory-index-inject", "/h", state, enabled, message, "Install it again.")


def with_limits(reading: ConsoleSnapshot) -> ConsoleSnapshot:
    """A reading in which the platform cuts a file, and the context of main is old."""
    [first, *others] = reading.agents
    old = sample.NOW - timedelta(hours=30)
    pool = replace(sample.pool("main"), limits=LIMITS, active_context_at=old)
    return replace(reading, agents=(replace(first, pool=pool), *others))


def pruned(mode: PruningMode = PruningMode.CACHE_TTL, *, minutes: int = 61) -> PruningPreview:
    """A talk with long results of tools, so many minutes after its last call."""
    results = (
        ("exec", 61_000),
        ("read", 1_200),
        ("web_fetch", 48_000),
        ("exec", 152_000),
        ("browser", 96_000),
        ("read", 22_000),
    )
    parts = [ContextPart(0, "user", 400)]
    for tool, chars in results:
        at = sample.NOW - timedelta(minutes=minutes + 10 - len(parts))
        parts.append(ContextPart(len(parts), "assistant", 2_000, at=at))
        parts.append(ContextPart(len(parts), "toolResult", chars, tool=tool, at=at))
    parts[-3] = replace(parts[-3], has_image=True)
    last = sample.NOW - timedelta(minutes=minutes)
    parts += [
        ContextPart(len(parts) + step, "assistant", 900, at=last - timedelta(minutes=2 - step))
        for step in range(2)
    ]
    rules = PruningRules(
        mode=mode, ttl=timedelta(hours=1), window_tokens=120_000, keep_last_assistants=2
    )
    return PruningPreview(sample.main_sessions()[0], preview(tuple(parts), rules, sample.NOW))


def furnish_starts(engine: FakeEngine) -> None:
    """Give an engine something to say about starts and pruning."""
    engine.given, engine.startup = starts(), startup()
    engine.hook_states = (hook(HookState.INSTALLED),)
    engine.pruned = pruned()
