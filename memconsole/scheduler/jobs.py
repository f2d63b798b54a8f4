"""The table of jobs: what runs, when, and how its commands are made.

A row is one job. What is not built yet has no row. Some jobs are no commands: they look after the
host and after our own files.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import time, timedelta
from typing import TYPE_CHECKING

from memconsole.domain.agents import AgentRef, HomeRef, Severity
from memconsole.domain.commands.checkpoint import Checkpoint
from memconsole.domain.commands.cleanup import Cleanup
from memconsole.domain.commands.consolidate import Propose
from memconsole.domain.commands.flush import Flush, FlushBefore
from memconsole.domain.commands.index_md import IndexMd
from memconsole.domain.commands.observe import Observe
from memconsole.domain.commands.outcomes import Failed, Planned
from memconsole.domain.commands.recover import Recover
from memconsole.domain.commands.reflect import Reflect
from memconsole.domain.commands.reindex import Reindex
from memconsole.domain.health import named
from memconsole.domain.jobs.layers import layer_of
from memconsole.domain.jobs.runs import CANCELLED, DONE, FAILED, NOTHING_DUE, SKIPPED, JobEnd
from memconsole.domain.jobs.schedule import DailyAt, Every
from memconsole.errors import ConfigError
from memconsole.lazy_dataclass import dataclass
from memconsole.scheduler.workspace_queue import Rank
from memconsole.text.figures import plural, size_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.jobs.layers import Layer
    from memconsole.domain.jobs.schedule import Trigger
    from memconsole.domain.settings import Settings
    from memconsole.engine.engine import Engine
    from memconsole.ports.platform import StopSignal


NOT_DELIVERED = "not-delivered"
"""Why a look at health failed of which a channel could not be told."""


def look_after_health(engine: Engine, cancel: StopSignal) -> JobEnd:
    """Check everything and tell people.

    Raises:
        MemconsoleError: Nobody could look, and there is nobody to tell.
    """
    found = engine.health.look_after(cancel)
    checks = found.report.checks
    bad = [one.id for one in sorted(checks, key=lambda one: -one.status.rank) if one.status.is_bad]
    count = "1 check is" if len(bad) == 1 else f"{len(bad)} of {len(checks)} checks are"
    said = f"{count} bad: {named(bad)}" if bad else "all is well"
    if found.told.was_cancelled:
        return JobEnd(FAILED, CANCELLED, f"{said}; told to end before everybody knew")
    if failed := found.told.failed:
        names = ", ".join(f"{one.channel}: {one.error}" for one in failed)
        return JobEnd(FAILED, NOT_DELIVERED, f"{said}; {names}")
    names = ", ".join(dict.fromkeys(channel for channel, _ in found.told.sent))
    return JobEnd(DONE, None, f"{said}; told {names}" if names else said)


def check_config(engine: Engine, cancel: StopSignal) -> JobEnd:
    """Check the platform's configuration; what is wrong is the result, no failure.

    Raises:
        MemconsoleError: Nobody could look.
    """
    del cancel
    found = engine.config.check().findings
    bad = [one for one in found if one.severity.rank > Severity.INFO.rank]
    if not bad:
        return JobEnd(DONE, None, "nothing is wrong with the configuration")
    things = "1 finding wants" if len(bad) == 1 else f"{len(bad)} findings want"
    return JobEnd(DONE, None, f"{things} attention; {bad[0].id}: {bad[0].why}")


def rotate_logs(engine: Engine, cancel: StopSignal) -> JobEnd:
    """Rotate the logs that have grown."""
    found = engine.logs.rotate(cancel=cancel)
    failed = [one for one in found if one.status == FAILED]
    if failed:
        words = f"{failed[0].file.path}: {failed[0].message}"
        return JobEnd(FAILED, failed[0].reason, f"{len(failed)} of {len(found)} failed; {words}")
    done = [one for one in found if one.status == DONE]
    if not done:
        return JobEnd(SKIPPED, NOTHING_DUE, "no log has grown large")
    size = size_words(sum(one.moved_bytes for one in done))
    return JobEnd(DONE, None, f"{plural(len(done), 'log')} rotated, {size}")


def publish_metrics(engine: Engine, cancel: StopSignal) -> JobEnd:
    """Tell monitoring how things are."""
    del cancel
    count = engine.metrics.publish()
    if count is None:
        return JobEnd(SKIPPED, NOTHING_DUE, "nobody wants metrics")
    return JobEnd(DONE, None, f"{count} samples published")


_SAFETY_PASS = timedelta(minutes=5)
_SAMPLING = timedelta(minutes=5)
_HOURLY = timedelta(hours=1)
_AT_NIGHT = time(3)
_AFTER_THE_NIGHT = time(4, 30)
_CAPTURE_LOOK = timedelta(minutes=2)
"""How often a reset of the platform is looked out for."""


def _always(settings: Settings) -> bool:
    del settings
    return True


def _nothing(engine: Engine, *, dry_run: bool) -> Iterable[Command]:
    del engine, dry_run
    return ()


@dataclass(frozen=True, slots=True)
class Job:
    """One row.

    Attributes:
        id: Its name in the configuration and on the command line, with underscores.
        help: One sentence without a full stop.
        trigger: When, by the settings.
        commands: What there is to do now; a dry run asks nobody and changes nothing.
        work: What to do instead of commands; it looks at the stop signal once a second.
        rank: Its place inside one workspace; None when it writes into none.
        needs_child: It loads much: each command runs in a process of its own.
        is_irreversible: What it does cannot be taken back.
        is_enabled: Whether the settings switch it on.
        catches_up: What was missed in sleep is made up for once.
        is_listed: People see it and its runs; False for work of our own.
        leads_to: The job that is run at once when this one has done something.
        most: How many of its commands one run performs; a session that is busy does not count.
    """

    id: str
    help: str
    trigger: Callable[[Settings], Trigger]
    commands: Commands = _nothing
    work: Callable[[Engine, StopSignal], JobEnd] | None = None
    rank: Rank | None = None
    needs_child: bool = False
    is_irreversible: bool = False
    is_enabled: Callable[[Settings], bool] = _always
    catches_up: bool = True
    is_listed: bool = True
    leads_to: str | None = None
    most: Callable[[Settings], int] | None = None

    @property
    def layer(self) -> Layer:
        """The layer whose process runs it."""
        return layer_of(self.id)

    def runs_under(self, settings: Settings) -> bool:
        """Whether the settings switch it on; a job whose own section is wrong is off."""
        try:
            self.trigger(settings)
            return self.is_enabled(settings)
        except ConfigError:
            return False

    def rule_words(self, settings: Settings) -> str:
        """Return in words when it runs; of a section that is wrong, what is wrong with it."""
        try:
            self.is_enabled(settings)
            return str(self.trigger(settings))
        except ConfigError as error:
            return f"never: {error}"


if TYPE_CHECKING:
    from typing import Protocol

    class Commands(Protocol):
        """Makes the commands of a job."""

        def __call__(self, engine: Engine, *, dry_run: bool) -> Iterable[Command | Outcome]:
            """Return what there is to do now, and what is settled already.

            Raises:
                MemconsoleError: It cannot be found out, or the means to do it are missing.
            """


def _of_each_agent(kind: type[Checkpoint | Observe | Recover | IndexMd | Propose]) -> Commands:
    def commands(engine: Engine, *, dry_run: bool) -> Iterator[Command]:
        for agent in engine.home.read().agents:
            if kind is Recover and not engine.settings.for_agent(agent.id).recovery.is_enabled:
                continue
            yield kind(agent.ref, dry_run=dry_run)

    return commands


def _reflections(engine: Engine, *, dry_run: bool) -> Iterable[Command]:
    """Return the agents whose observations are to be consolidated; a look costs one file."""
    if dry_run:
        return [Reflect(agent.ref, dry_run=True) for agent in engine.home.read().agents]
    return engine.due.reflections()


def _rotations(engine: Engine, *, dry_run: bool) -> Iterable[Command | Outcome]:
    """Return what is due by the disk; only then the Gateway is asked."""
    plan = engine.rotation.plan()
    if dry_run:
        return [one.command if isinstance(one, Planned) else one for one in plan.outcomes]
    found = [replace(one, dry_run=False) for one in plan.queue]
    if found:
        engine.settings.require("gateway")
        engine.gateway.require()
    return [*found, *(one for one in plan.outcomes if isinstance(one, Failed))]


def _reindexes(engine: Engine, *, dry_run: bool) -> Iterator[Command]:
    """Yield the agents whose documents changed: a look is cheap, a run loads NumPy.

    Sessions are indexed too where they are published.
    """
    talks = engine.settings.fleet.publishes_talks or None
    for agent in engine.home.read().agents:
        look = Reindex(agent.ref, with_sessions=talks, dry_run=True)
        if dry_run:
            yield look
        elif not _is_indexed(engine, look):
            yield replace(look, dry_run=False)


def _is_indexed(engine: Engine, look: Reindex) -> bool:
    """Tell whether an index is known to be up to date; a look that fails is no proof of it."""
    plan = engine.run(look)
    if not isinstance(plan, Planned):
        return False
    changes = [one for one in plan.details.values() if isinstance(one, dict)]
    return not any(one.get("changed") or one.get("removed") or one.get("build") for one in changes)


def _flushes(engine: Engine, *, dry_run: bool) -> Iterator[Command]:
    """Yield sessions that came nearer to their compaction."""
    for one in engine.due.flushes():
        yield replace(one, dry_run=dry_run)


def _precaptures(engine: Engine, *, dry_run: bool) -> Iterator[Command]:
    """Yield sessions that the platform is about to start anew by itself."""
    for one in engine.due.precaptures():
        yield Flush(one.agent, one.key, FlushBefore.RESET, dry_run=dry_run)


def _leads(settings: Settings) -> list[timedelta]:
    """Return how long ahead of a reset sessions are saved, for all or for an agent that differs."""
    leads = (one.freshness.precapture for one in (settings, *settings.agents.values()))
    return [one for one in leads if one > timedelta()]


def _cleanups(engine: Engine, *, dry_run: bool) -> Iterator[Command]:
    """Yield every agent, and ours; where the settings do not switch it on, only the plan."""
    home = engine.home.read()
    ours = AgentRef(HomeRef(str(home.path)), "")
    for one in (*(agent.ref for agent in home.agents), ours):
        is_on = engine.settings.for_agent(one.id).cleanup.is_enabled
        yield Cleanup(one, dry_run=dry_run or not is_on)


def _keep_samples(engine: Engine, cancel: StopSignal) -> JobEnd:
    """Keep the counts of all sessions for their growth, and once a day the sizes of memories."""
    del cancel
    snapshot = engine.snapshot(with_pools=engine.readings.wants_pools())
    engine.readings.note_events(snapshot)
    engine.readings.sample(snapshot)
    engine.readings.remember()
    return JobEnd("done", None, "counts kept")


TABLE: tuple[Job, ...] = (
    Job(
        id="recovery",
        help="Capture sessions that ended before everything in them was captured",
        trigger=lambda _: Every(_HOURLY),
        commands=_of_each_agent(Recover),
        rank=Rank.RECOVERY,
        is_enabled=lambda settings: settings.any_agent(lambda one: one.recovery.is_enabled),
    ),
    Job(
        id="flush_watch",
        help="Save sessions that come near to their compaction",
        trigger=lambda settings: Every(settings.flush.interval),
        commands=_flushes,
        rank=Rank.FLUSH,
    ),
    Job(
        id="freshness_capture",
        help="Save sessions before the platform starts them anew by itself",
        trigger=lambda settings: Every(min([_CAPTURE_LOOK, *_leads(settings)])),
        commands=_precaptures,
        rank=Rank.FLUSH,
        is_enabled=lambda settings: bool(_leads(settings)),
    ),
    Job(
        id="rotation",
        help="Start due sessions anew before the platform compacts them",
        trigger=lambda settings: Every(settings.rotation.interval),
        commands=_rotations,
        rank=Rank.FLUSH,
        is_irreversible=True,
        most=lambda settings: settings.rotation.max_per_run,
    ),
    Job(
        id="observer",
        help="Keep what is worth remembering in the sessions",
        trigger=lambda settings: Every(settings.observer.interval),
        commands=_of_each_agent(Observe),
        rank=Rank.OBSERVER,
        leads_to="reflector",
    ),
    Job(
        id="reflector",
        help="Consolidate observations that have grown long",
        trigger=lambda _: Every(_HOURLY),
        commands=_reflections,
        rank=Rank.REFLECTOR,
        needs_child=True,
    ),
    Job(
        id="checkpoint",
        help="Save every agent's current work",
        trigger=lambda settings: Every(settings.checkpoint.interval),
        commands=_of_each_agent(Checkpoint),
        rank=Rank.CHECKPOINT,
    ),
    Job(
        id="index_md",
        help="Write INDEX.md of large memories anew",
        trigger=lambda settings: Every(settings.index_md.interval),
        commands=_of_each_agent(IndexMd),
        rank=Rank.INDEX_MD,
    ),
    Job(
        id="consolidate",
        help="Write into DREAMS.md what memory could let go, and keep for good",
        trigger=lambda _: DailyAt(_AT_NIGHT),
        commands=_of_each_agent(Propose),
        rank=Rank.CONSOLIDATE,
        is_enabled=lambda settings: settings.consolidate.is_enabled,
    ),
    Job(
        id="index_sync",
        help="Take changed memory files into the search indexes",
        trigger=lambda _: Every(_SAFETY_PASS),
        commands=_reindexes,
        needs_child=True,
        is_enabled=lambda settings: settings.search.sync,
        catches_up=False,
    ),
    Job(
        id="health",
        help="Look after everything that keeps memory safe, and tell people what is wrong",
        trigger=lambda settings: Every(settings.health.interval),
        work=look_after_health,
        catches_up=False,
    ),
    Job(
        id="config_check",
        help="Look for what is wrong in the platform's configuration",
        trigger=lambda settings: Every(settings.config_check.interval),
        work=check_config,
    ),
    Job(
        id="log_rotation",
        help="Rotate logs that have grown large, ours and the platform's",
        trigger=lambda settings: Every(settings.log_rotation.interval),
        work=rotate_logs,
        catches_up=False,
    ),
    Job(
        id="transcript_cleanup",
        help="Pack, and later take away, old files of agents and of memconsole",
        trigger=lambda _: DailyAt(_AFTER_THE_NIGHT),
        commands=_cleanups,
        is_enabled=lambda settings: settings.cleanup.is_enabled,
    ),
    Job(
        id="metrics",
        help="Tell monitoring how things are",
        trigger=lambda settings: Every(settings.metrics.interval),
        work=publish_metrics,
        is_enabled=lambda settings: bool(settings.metrics.textfile or settings.metrics.port),
        catches_up=False,
        is_listed=False,
    ),
    Job(
        id="samples",
        help="Keep token counts for growth",
        trigger=lambda _: Every(_SAMPLING),
        work=_keep_samples,
        catches_up=False,
        is_listed=False,
    ),
)
"""Every job, in the order in which those that are due together begin."""
