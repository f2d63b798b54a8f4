"""What the faces show, long by what is told of each field: one frozen reading of everything.

And how its sessions are called.
"""

from __future__ import annotations

from dataclasses import field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from memconsole.domain.agents import Severity
from memconsole.domain.jobs.layers import LayerStatus, named_layers
from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import short_kilo
from memconsole.text.graphemes import cut_middle
from memconsole.text.outgoing import let_out

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from memconsole.domain.agents import Agent, AgentRef, Era, Home, Notice, Storage
    from memconsole.domain.alerts import OpenAlert
    from memconsole.domain.commands.outcomes import Run
    from memconsole.domain.events import Cut, Event
    from memconsole.domain.fleet.letters import Sent
    from memconsole.domain.freshness import Freshness
    from memconsole.domain.gateway import GatewayStatus
    from memconsole.domain.jobs.layers import Layer
    from memconsole.domain.memory.files import Pool
    from memconsole.domain.sessions.activity import Activity, Doing
    from memconsole.domain.sessions.composition import Advice, Part, TokensByClass
    from memconsole.domain.sessions.keys import SessionClass, SessionKey
    from memconsole.domain.sessions.stored import (
        SessionState,
        StoredSession,
        TranscriptRef,
        TranscriptState,
    )
    from memconsole.domain.sessions.tokens import Growth, NotDue, Sample, TokenCount
    from memconsole.domain.sessions.windows import Window
    from memconsole.domain.snapshot.homes import HomeReading, ServerReading
    from memconsole.domain.snapshot.outlook import Outlook
    from memconsole.domain.summarize.text import SummaryRecord
    from memconsole.domain.transcripts.records import Message, TranscriptCounts

_NAME_CHARS = 40


@dataclass(frozen=True, slots=True)
class SessionView:
    """One session, judged: a session object of the contract.

    Attributes:
        stored: What the store said.
        session_class: Class by key, else by the store's chat type.
        label: Name to show; control characters removed.
        threshold: Tokens at which it is due.
        window: The model's window in tokens; None when nobody knows.
        percent_of_threshold: One decimal; None when the count is unknown.
        not_due: Why it is not due; None when it is.
        not_due_because: The same as a sentence.
        growth: None when nothing can be said.
        messages: None where counting means reading the whole transcript.
        read_at: When its store was read.
        name: What it is called wherever it is shown; of others, so not yet masked.
        samples: Counts of the last hours as we saw them, oldest first.
        outlook: What lies ahead of it; None for what has ended, and where nobody looked.
        activity: What it does; None for what has ended, and where nobody knows.
    """

    stored: StoredSession
    session_class: SessionClass
    label: str | None
    count: TokenCount
    window: int | None
    threshold: int
    percent_of_threshold: float | None
    percent_of_window: float | None
    is_due: bool
    not_due: NotDue | None
    not_due_because: str | None
    growth: Growth | None
    messages: int | None
    read_at: datetime
    name: str = "?"
    samples: tuple[Sample, ...] = ()
    outlook: Outlook | None = None
    activity: Activity | None = None

    @property
    def key(self) -> SessionKey | None:
        """The session's key, None for orphans."""
        return self.stored.key

    @property
    def is_capturable(self) -> bool:
        """Whether captures may read it."""
        return self.session_class.may_be_captured(groups=self.stored.captures_groups)

    @property
    def key_text(self) -> str | None:
        """The key as stored, None for orphans."""
        return None if self.stored.key is None else self.stored.key.text

    @property
    def session_id(self) -> str | None:
        """The session's id, None when its entry names none."""
        return self.stored.session_id

    @property
    def agent(self) -> AgentRef:
        """The agent it belongs to."""
        return self.stored.agent

    @property
    def state(self) -> SessionState:
        """Live, archived or orphan."""
        return self.stored.state

    @property
    def transcript_state(self) -> TranscriptState:
        """Present, none, missing or refused."""
        return self.stored.transcript_state

    @property
    def transcript(self) -> TranscriptRef | None:
        """Where its records are."""
        return self.stored.transcript

    @property
    def is_cron_run(self) -> bool:
        """One past run of a cron job; folded under its job."""
        return self.stored.key is not None and self.stored.key.is_cron_run

    @property
    def tokens(self) -> int | None:
        """The number to show; None when unknown."""
        return self.count.tokens

    @property
    def doing(self) -> Doing | None:
        """What it does; None for what has ended, and where nobody knows."""
        return None if self.activity is None else self.activity.doing

    @property
    def heard_at(self) -> datetime | None:
        """Its last message; None when nobody knows."""
        return self.stored.spoke_at or self.stored.last_interaction_at or self.stored.updated_at


@dataclass(frozen=True, slots=True)
class AgentView:
    """One agent with the figures of its row.

    Attributes:
        store: Which store answered.
        sessions: Live sessions, cron runs not counted; None where its store cannot be read.
        due: Sessions that automatic rotation would take now.
        tokens_max: Fullest live session, in tokens; None when no count is known.
        pool: None when the pool was not read (yet).
        checkpoint_at: Last checkpoint by our own records, else the time of ACTIVE_CONTEXT.md.
        problems: What is wrong with this agent.
        activity: How many of its live sessions do what; None where its store cannot be read.
    """

    agent: Agent
    store: Storage
    sessions: int | None
    due: int
    tokens_max: int | None
    pool: Pool | None
    checkpoint_at: datetime | None
    problems: tuple[Notice, ...]
    left_out: Mapping[str, int]
    read_at: datetime
    activity: Mapping[Doing, int] | None = None

    @property
    def ref(self) -> AgentRef:
        """The agent's name in every command."""
        return self.agent.ref


@dataclass(frozen=True, slots=True)
class Attention:
    """One finding of the attention line: worst first.

    Attributes:
        code: Stable word, such as `session-due`.
        agent: Agent id, when it is about one.
        key: Session key, when it is about one.
        message: One sentence of fact.
        hint: One sentence that says what to do next.
        command: Name of the command that helps, run for that session, else that agent; empty for
            none.
        is_for_all: The command is for all sessions of the agent; the key names the worst of them.
        seen_at: When a look at health saw it; None for what this reading sees itself.
        home: Label of the home, when it is about one of several as a whole; a server has none.
    """

    severity: Severity
    code: str
    message: str
    hint: str = ""
    agent: str | None = None
    key: str | None = None
    command: str = ""
    is_for_all: bool = False
    seen_at: datetime | None = None
    home: str | None = None


@dataclass(frozen=True, slots=True)
class Quiet:
    """What speaks for quiet: a home is quiet only when all of it is known and nothing was found.

    Attributes:
        evidence: Short facts, such as `fullest 61 % research`.
        unknown: What nobody knows, such as `gateway`.
    """

    evidence: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SchedulerStatus:
    """Who runs the jobs: `running`, `stopped` or `stale`.

    Attributes:
        pid: None where several processes do.
        layers: Each layer by itself; empty where nobody runs any.
    """

    state: str = "stopped"
    pid: int | None = None
    host: str | None = None
    since: datetime | None = None
    next_job: str | None = None
    next_at: datetime | None = None
    layers: tuple[LayerStatus, ...] = ()

    def of_layer(self, layer: Layer) -> LayerStatus:
        """Return who runs one layer."""
        whole = LayerStatus(layer, self.state, self.pid, self.host, self.since)
        return next((one for one in self.layers if one.layer is layer), whole)

    @property
    def silent(self) -> tuple[LayerStatus, ...]:
        """The layers that nobody runs, or whose owner does not move, while others run."""
        if self.state != "running":
            return ()
        return tuple(one for one in self.layers if one.state != "running")

    @property
    def silence(self) -> str:
        """Which layers nobody runs, and whose owner does not move; empty when all of them run."""
        words = {"stopped": "nobody runs {}", "stale": "the owner of {} does not move"}
        by_state = {
            state: [one.layer for one in self.silent if one.state == state] for state in words
        }
        return "; ".join(
            words[state].format(named_layers(layers))
            for state, layers in by_state.items()
            if layers
        )

    @property
    def is_split(self) -> bool:
        """Whether several processes share the layers, or some are run by nobody."""
        return len({(one.state, one.pid) for one in self.layers}) > 1


@dataclass(frozen=True, slots=True)
class ConsoleSnapshot:
    """Everything the first screen shows, taken in one go.

    Attributes:
        sessions: People's conversations first, fullest first; archives and orphans last.
        left_out: Counts for the default view: `cron_run`, `archived`, `orphan`, `backup`,
            `unreadable`.
        notices: All warnings of this reading.
        attention: Ranked findings, worst first; empty means that nothing was found.
        activity: Newest runs first.
        events: What the platform did by itself, the newest first.
        unread: Agents that are still being read: what is told is not all there is.
        alerts: What was wrong at the last look at health, the oldest first.
        quiet: What speaks for it that nothing is wrong where nothing was found.
        cuts: Sessions that were compacted or reset on the last day, as their stores tell it.
        homes: Each home, where there are several; an agent's id is its full name then, such as
            `alpha/main`, and `home` is the one of this console.
        server: Where homes of other hosts publish what is shown of them; None for nowhere.
        parts: The reading of each of several homes by its label, with full names.
        letters: What is asked of other hosts through that server and what came of it, newest
            first; `home` is a label, and `by` empty for what this person asked.
    """

    home: Home
    era: Era
    agents: tuple[AgentView, ...]
    sessions: tuple[SessionView, ...]
    left_out: Mapping[str, int]
    notices: tuple[Notice, ...]
    attention: tuple[Attention, ...]
    activity: tuple[Run, ...]
    gateway: GatewayStatus
    scheduler: SchedulerStatus
    taken_at: datetime
    alerts: tuple[OpenAlert, ...] = ()
    events: tuple[Event, ...] = ()
    unread: int = 0
    quiet: Quiet = Quiet()
    cuts: Sequence[Cut] = ()
    homes: tuple[HomeReading, ...] = ()
    server: ServerReading | None = None
    parts: Mapping[str, ConsoleSnapshot] = field(default_factory=dict, repr=False, compare=False)
    letters: tuple[Sent, ...] = ()
    _by_agent: dict[str, tuple[SessionView, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _by_label: dict[str, HomeReading] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _newest: dict[str, SessionView | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def of_agent(self, agent_id: str | None) -> tuple[SessionView, ...]:
        """Return the sessions of one agent, or all; no walk over all of them at each asking."""
        if agent_id is None:
            return self.sessions
        if (part := self.parts.get(agent_id.rpartition("/")[0])) is not None:
            return part.of_agent(agent_id)
        if not self._by_agent:
            grouped: dict[str, list[SessionView]] = {}
            for view in self.sessions:
                grouped.setdefault(view.agent.id, []).append(view)
            self._by_agent.update((one, tuple(views)) for one, views in grouped.items())
        return self._by_agent.get(agent_id, ())

    def newest_of(self, agent_id: str) -> SessionView | None:
        """Return the session that a checkpoint of an agent takes; None where none can be named."""
        from memconsole.domain.checkpoint.rules import (  # noqa: PLC0415 - only a console asks
            has_text,
            newness,
        )

        if agent_id not in self._newest:
            live = (
                one
                for one in self.of_agent(agent_id)
                if one.key and one.state == "live" and one.is_capturable and has_text(one.stored)
            )
            newest = max(live, key=lambda one: newness(one.stored), default=None)
            self._newest[agent_id] = newest
        return self._newest[agent_id]

    def home_of(self, agent_id: str) -> HomeReading | None:
        """Return the home of an agent; None where there is one home only."""
        return self.home_named(agent_id.rpartition("/")[0])

    def home_named(self, label: str | None) -> HomeReading | None:
        """Return the home of that label."""
        if len(self._by_label) != len(self.homes):
            self._by_label.update({one.label: one for one in self.homes})
        return self._by_label.get(label or "")

    def of_home(self, label: str) -> ConsoleSnapshot:
        """Return what of it is of one home; all of it for a home of which nothing was read."""
        part, home = self.parts.get(label), self.home_named(label)
        homes = () if home is None else (home,)
        letters = tuple(one for one in self.letters if one.home == label)
        if part is None:
            nothing = replace(self, agents=(), sessions=(), left_out={}, homes=homes, parts={})
            return replace(nothing, letters=letters)
        return replace(
            self,
            era=part.era,
            agents=part.agents,
            sessions=part.sessions,
            left_out=part.left_out,
            notices=part.notices,
            attention=part.attention,
            homes=homes,
            parts={label: part},
            letters=letters,
        )

    def is_away(self, agent_id: str) -> bool:
        """Whether what is shown of an agent is of its home's last answer, which is over."""
        home = self.home_of(agent_id) if self.homes else None
        return home is not None and home.freshness == "away"

    @property
    def unread_homes(self) -> tuple[HomeReading, ...]:
        """The homes of which nothing was ever read."""
        return tuple(one for one in self.homes if one.as_of is None)

    @property
    def is_quiet(self) -> bool:
        """Whether nothing wants a look and everything that speaks for that is known."""
        return self.worst is None and not self.quiet.unknown and not self.unread

    @property
    def worst(self) -> Attention | None:
        """The first finding that is more than a remark; None when there is none."""
        first = next(iter(self.attention), None)
        return None if first is None or first.severity is Severity.INFO else first

    @property
    def is_whole(self) -> bool:
        """Whether every store was read; else there may be more sessions than are listed."""
        if self.unread or self.unread_homes:
            return False
        return all(agent.sessions is not None for agent in self.agents)


@dataclass(frozen=True, slots=True)
class TranscriptView:
    """A transcript as people read it, oldest first.

    Attributes:
        events: Stored records; None when only a tail was read.
    """

    session: SessionView
    messages: tuple[Message, ...]
    counts: TranscriptCounts
    is_whole: bool
    notices: tuple[Notice, ...]
    events: int | None = None


@dataclass(frozen=True, slots=True)
class Contributor:
    """One thing that fills the context: a kind of text, a tool, a bootstrap file."""

    name: str
    tokens: int
    share: float


@dataclass(frozen=True, slots=True)
class SessionDetail:
    """One session with everything a whole reading tells.

    Attributes:
        next_events: What lies ahead of it, by name.
        freshness: When the platform starts it anew; None for what is no live session.
        summary: Its summary, when it has one.
        is_captured: Everything in it is captured to its end; None when nobody can say.
        parts: What the count is made of; they add up to it.
        noted_at: When the platform noted how the request begins; None when it did not.
        resets: Times of the resets in place in its transcript, oldest first.
        windows: Each stretch of it that a reset, a rollover or an import ended, the newest first;
            empty where nobody asked.
        unattributed: Ended transcripts of its agent whose session nobody knows; with `windows`.
        advice: What would make it smaller.
        limits: Tokens at which something happens, by name: `flush_early`, `flush_final`,
            `rotation`, `compaction`; empty for what is no live session.
    """

    view: SessionView
    events: int
    by_class: TokensByClass
    contributors: tuple[Contributor, ...]
    compactions: tuple[Message, ...]
    usage_points: tuple[tuple[datetime, int], ...]
    counts: TranscriptCounts
    related: tuple[SessionView, ...] = ()
    last_capture_at: datetime | None = None
    notices: tuple[Notice, ...] = ()
    next_events: Mapping[str, datetime] = field(default_factory=dict)
    freshness: Freshness | None = None
    last_flush_at: datetime | None = None
    summary: SummaryRecord | None = None
    is_captured: bool | None = None
    limits: Mapping[str, int] = field(default_factory=dict)
    parts: tuple[Part, ...] = ()
    noted_at: datetime | None = None
    resets: tuple[datetime | None, ...] = ()
    windows: tuple[Window, ...] = ()
    unattributed: tuple[Window, ...] = ()
    advice: tuple[Advice, ...] = ()


def name_of(view: SessionView) -> str:
    """Return what the session is called, after its agent."""
    return named(view.agent.id, view.name)


@lru_cache(maxsize=1024)  # each reading names the same sessions, and masking is the dear part of it
def named(agent_id: str, name: str) -> str:
    """Return a name of others behind that of its agent, masked and short."""
    return f"{agent_id} / {cut_middle(let_out(name), _NAME_CHARS)}"


def why_suspect(view: SessionView) -> str:
    """Return what speaks against a count that cannot be true, in numbers."""
    count, window = view.count, view.window
    reported = "?" if count.reported is None else f"{short_kilo(count.reported)} reported"
    if window is not None and (count.reported or 0) > window:
        reported += f" > {short_kilo(window)} window"
    elif count.estimated is None:
        return f"{reported}, and it was compacted since"
    told = "does not tell" if count.estimated is None else f"says {short_kilo(count.estimated)}"
    return f"{reported}; transcript {told}"
