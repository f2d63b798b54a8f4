"""What sessions of one agent start with, and what would be cut; long with its rows in it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on
from textual.containers import Horizontal

from memconsole.domain.bootstrap import ACTIVE_NAME, BY_VALUE, INDEX_NAME, OBSERVATIONS_NAME, Why
from memconsole.domain.hooks import HookState
from memconsole.domain.sessions.keys import SessionClass
from memconsole.lazy_dataclass import dataclass
from memconsole.text import cells, figures
from memconsole.ui.drawing.glyphs import ASCII
from memconsole.ui.drawing.listing import Listing, text_row
from memconsole.ui.drawing.literal import literal, literal_quoted
from memconsole.ui.drawing.names import session_name
from memconsole.ui.drawing.spans import Cell, Column, Gauge, Role, Row, Span
from memconsole.ui.keys import Verb, panel_keys
from memconsole.ui.screens.base import AgentScreen
from memconsole.ui.screens.observations.screen import PRIORITIES
from memconsole.ui.widgets.pane import Pane
from memconsole.ui.workers.loading import Loaded, Loader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memconsole.domain.agents import PlatformConfig
    from memconsole.domain.bootstrap import Bootstrap, Given, WeighedLine
    from memconsole.domain.hooks import HookStatus
    from memconsole.domain.memory.files import Limit, Pool
    from memconsole.domain.settings.sections import BootstrapSettings
    from memconsole.domain.snapshot.snapshot import SessionView
    from memconsole.domain.summarize.handover import Handover
    from memconsole.ui.drawing.context import Context
    from memconsole.ui.drawing.spans import Line


_PANELS = ("sessions", "given", "loaded", "remedies")


class BootstrapScreen(AgentScreen):
    """The starts of one agent's sessions."""

    BINDINGS: ClassVar[list[BindingType]] = [*panel_keys(_PANELS)]
    ACTIONS: ClassVar[tuple[Verb, ...]] = (
        Verb("e", "explain", "explain", "Which observations are given, and why", "explain-choice"),
    )
    LOWER: ClassVar[tuple[str, ...]] = ("loaded", "remedies")

    def __init__(self, agent_id: str) -> None:
        super().__init__("bootstrap", agent_id)
        self._seen: object = None
        self._has_asked = False
        self._is_explained = False
        self._loader: Loader[Starts] = Loader(self, "starts")

    def body(self) -> ComposeResult:
        """Yield classes and files above, the platform's own files and the remedies below."""
        glyphs = self.desk.glyphs
        with Horizontal(id="upper"):
            yield Pane("sessions", glyphs=glyphs, classes="-current")
            yield Pane("given", glyphs=glyphs)
        with Horizontal(id="lower"):
            yield Pane("loaded", glyphs=glyphs)
            yield Pane("remedies", glyphs=glyphs)

    def show_snapshot(self) -> None:
        """Look again when the memory was read again, or a session began."""
        pool, began = self._pool, frozenset(one.session_id for one in self._sessions)
        seen = (None if pool is None else pool.read_at), began
        if not self._has_asked or seen != self._seen:
            self._has_asked, self._seen = True, seen
            self._loader.ask(self._look)
        self._show()
        super().show_snapshot()

    def _look(self) -> Starts:
        engine, agent_id = self.desk.engine.of(self._agent_id)
        waiting = []
        for one, given in engine.bootstrap.with_handovers(agent_id):
            known = (it for it in self._sessions if it.key_text == one.session_key)
            name = next(map(session_name, known), literal(one.session_key))
            waiting.append(Waiting(name, one, given))
        return Starts(
            engine.bootstrap.by_class(agent_id),
            engine.bootstrap.to_read(session_key=f"agent:{agent_id}:main"),
            engine.hooks.folder.status(""),
            tuple(waiting),
        )

    @property
    def _sessions(self) -> Sequence[SessionView]:
        snapshot = self.desk.snapshot
        return () if snapshot is None else snapshot.of_agent(self._agent_id)

    @on(Loaded)
    def show_loaded(self, message: Loaded) -> None:
        """Show what was found, or why nobody could look."""
        self._loader.take(message)
        self._show()

    def _show(self) -> None:
        listing = classes_listing(self._scene, self.context(), failure=self._loader.failure)
        self.named("sessions").show(listing)
        self._show_class()

    @property
    def _scene(self) -> StartsReading:
        snapshot = self.desk.snapshot
        return StartsReading(
            self._loader.value,
            self._pool,
            None if snapshot is None else snapshot.home.config,
            self.desk.settings.for_agent(self._pool.agents[0] if self._pool else "").bootstrap,
        )

    @on(Pane.Moved, "#sessions")
    @on(Pane.Resized)
    def _show_class(self) -> None:
        """Show the files of the class under the cursor, and what all of them share a limit with."""
        if not self.is_open:
            return
        reading, context, row = self._scene, self.context(), self.named("sessions").row
        loaded, remedies = self.named("loaded"), self.named("remedies")
        listing = choice_listing if self._is_explained else given_listing
        key, given = "" if row is None else row.key, self.named("given")
        given.hint = self._other_view(reading, key)
        given.show(listing(reading, key, context))
        loaded.show(loaded_listing(reading, context, loaded.room[0]))
        remedies.show(remedies_listing(reading, context, remedies.room[0]))
        self.show_keys()

    def _other_view(self, reading: StartsReading, key: str) -> str:
        """Return how the panel of files shows the rest of it: the key line has no room for that."""
        if self._is_explained:
            return "a e shows the files again"
        found = None if reading.starts is None else reading.starts.of(key)
        is_chosen = found is not None and found.weighing is not None
        return "a e shows which observations, and why" if is_chosen else ""

    # ---- keys ----------------------------------------------------------------------------

    def action_explain(self) -> None:
        """Show which observations are given, or the files again."""
        self._is_explained = not self._is_explained
        self.set_class(self._is_explained, "-explained")  # it may be hundreds of lines
        self._show_class()

    def action_open(self) -> None:
        """Go from a class to its files, from a file to its text."""
        pane, row = self.pane, None if self.pane is None else self.pane.row
        if pane is None or row is None:
            return
        path = self._path_of(row.value)
        if path is not None:
            self.desk.go.memory(self._agent_id, path)
        elif pane.id == "sessions":
            self.action_panel(2)
        elif pane.id != "remedies":
            self.say(f"{row.value} is not among the memory files")

    def _path_of(self, value: str) -> str | None:
        """Return the memory file that a row is about."""
        pool = self._scene.pool
        relative = "" if pool is None else value.removeprefix(f"{pool.root}/")
        is_known = pool is not None and any(item.path == relative for item in pool.items)
        return relative if is_known else None


HOOK: Final = "memory-index-inject"
STARTUP: Final = "no hook"
"""The row of what agents read by themselves where no hook gives it."""

_WAITING: Final = "handover:"
"""Begins the keys of rows of hand-overs."""

_MAKERS: Final = {ACTIVE_NAME: ": c makes it", OBSERVATIONS_NAME: ": b makes it"}
"""Keys that write what is missing."""

_FAMILIES: Final = (
    (SessionClass.MAIN, SessionClass.DIRECT),
    (SessionClass.GROUP, SessionClass.THREAD),
    (SessionClass.CRON, SessionClass.HOOK, SessionClass.SUBAGENT),
    (SessionClass.HEARTBEAT,),
)
"""Classes that are always given the same share a row."""

_GAUGE: Final = 24
_WORDS: Final = 36
"""Cells of the words behind the gauge of everything."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A hand-over that one start is given, and none after it.

    Attributes:
        name: Of the session.
        given: What its next start is given.
    """

    name: str
    handover: Handover
    given: Bootstrap

    @property
    def key(self) -> str:
        """Of its row: two sessions may have one name, and each hand-over has a file of its own."""
        return f"{_WAITING}{self.handover.path}"


@dataclass(frozen=True, slots=True)
class Starts:
    """What was found about the starts of one agent's sessions.

    Attributes:
        given: By the hook, one a class.
        startup: What to read where no hook gives it.
        hooks: Of the platform home.
        waiting: Hand-overs that no start was given yet.
    """

    given: tuple[Bootstrap, ...]
    startup: Bootstrap
    hooks: tuple[HookStatus, ...]
    waiting: tuple[Waiting, ...] = ()

    def of(self, key: str) -> Bootstrap | None:
        """Return what a row is about: a hand-over, or classes."""
        if key == STARTUP:
            return self.startup
        if key.startswith(_WAITING):
            return next((one.given for one in self.waiting if one.key == key), None)
        kind = key.partition(",")[0]
        return next((one for one in self.given if one.session_class.value == kind), None)

    def called(self, key: str) -> str:
        """Return what a row is called in the title of what it is given."""
        waits = next((one.name for one in self.waiting if one.key == key), "")
        return f"the next start of {waits}" if waits else key


@dataclass(frozen=True, slots=True)
class StartsReading:
    """Everything that the screen shows.

    Attributes:
        starts: None while they are read, or when they could not be.
        pool: The agent's memory, with the platform's own files against their limits.
        config: The platform's; None while nothing was read.
        rules: Ours.
    """

    starts: Starts | None
    pool: Pool | None
    config: PlatformConfig | None
    rules: BootstrapSettings

    @property
    def limits(self) -> tuple[Limit, ...]:
        """The platform's own files."""
        return () if self.pool is None else self.pool.limits

    @property
    def most(self) -> Bootstrap | None:
        """What the class with the most is given."""
        given = () if self.starts is None else self.starts.given
        return max(given, key=lambda one: one.chars, default=None)

    @property
    def hook(self) -> HookStatus | None:
        """The hook that gives files; None when nobody knows."""
        hooks = () if self.starts is None else self.starts.hooks
        return next((one for one in hooks if one.name.endswith(HOOK)), None)

    @property
    def is_hooked(self) -> bool:
        """Whether the platform asks the hook."""
        hook = self.hook
        is_there = hook is not None and hook.state in (HookState.INSTALLED, HookState.OUTDATED)
        return is_there and hook is not None and hook.is_enabled is not False

    @property
    def chars(self) -> int:
        """What has to fit: the platform's files as it cuts each, and what the hook gives."""
        own = sum(min(one.chars, one.limit) for one in self.limits)
        return own + (self.most.chars if self.is_hooked and self.most is not None else 0)

    @property
    def chars_over(self) -> int:
        """What does not fit."""
        return max(0, self.chars - self.config.bootstrap_total_max_chars) if self.config else 0

    def old_context(self, context: Context) -> str:
        """Return how old ACTIVE_CONTEXT.md is; empty when it is fresh, or there is none."""
        since = None if self.pool is None else context.since(self.pool.active_context_at)
        is_old = since is not None and since > self.rules.active_max_age
        return figures.age(since) if is_old else ""


_CLASS_NAME: Final = 20


def _class_columns(names: Iterable[str]) -> tuple[Column, ...]:
    longest = max(map(cells.width, names), default=0)
    return (
        Column("sessions", _CLASS_NAME, flex=1, most=max(longest, _CLASS_NAME)),
        Column("share", 6, flex=1, most=_GAUGE),
        Column("chars", 5, right=True),
        Column("files", 14, flex=1),
    )


def classes_listing(reading: StartsReading, context: Context, *, failure: str = "") -> Listing:
    """Return the classes of sessions, each with how much it is given."""
    starts, rows = reading.starts, []
    if starts is not None:
        rows = [_waits(one, reading.rules, context) for one in starts.waiting]
        found = ((", ".join(kinds), starts.of(kinds[0])) for kinds in _FAMILIES)
        rows += [_class(name, one, reading.rules) for name, one in found if one is not None]
        rows.append(_class(STARTUP, starts.startup, reading.rules))
    return Listing(
        title="Sessions",
        about=f"{context.glyphs.dot} at most {figures.short_kilo(reading.rules.total_chars)}",
        number=1,
        columns=_class_columns(one.name for one in (() if starts is None else starts.waiting)),
        rows=tuple(rows),
        empty=(failure or "reading what sessions are given",),
        problem=failure if rows else "",
    )


def _waits(one: Waiting, rules: BootstrapSettings, context: Context) -> Row:
    """Return what the next start of one session is given, since a hand-over waits for it."""
    since = figures.ago(context.since(one.handover.at))
    return Row(
        key=one.key,
        cells=(
            Cell(one.name, is_id=True),
            Gauge(one.given.chars / rules.total_chars),
            Cell(figures.kilo(one.given.chars)),
            Cell(f"a hand-over waits, {since}", Role.ACCENT),
        ),
        value=literal(one.handover.path),
    )


def _class(name: str, one: Bootstrap, rules: BootstrapSettings) -> Row:
    chosen = [why for why in one.left_out if BY_VALUE in why]
    cut = sum(it.whole_chars is not None for it in one.files) - len(chosen)
    words = figures.plural(len(one.files), "file") if one.files else "nothing"
    for why in chosen:  # nothing of it is cut: those that are worth most are given whole
        words += f", {literal(why.partition(': ')[2].partition(',')[0])}"
    return Row(
        key=name,
        cells=(
            Cell(name, Role.PLAIN if one.files else Role.MUTED),
            Gauge(one.chars / rules.total_chars if one.files else None),
            Cell(figures.kilo(one.chars) if one.files else ""),
            Cell(f"{words}, {cut} CUT" if cut > 0 else words, Role.DUE if cut > 0 else Role.MUTED),
        ),
        value=", ".join(it.name for it in one.files) or words,
    )


_FILE_COLUMNS = (
    Column("file", 17, flex=2, most=30),
    Column("fill", 8, flex=1, most=_GAUGE),
    Column("chars", 14, right=True),
    Column("", 17, flex=2, name="note"),
)


def given_listing(reading: StartsReading, key: str, context: Context) -> Listing:
    """Return the files that one class is given, and what it is not given, with the reason."""
    found = None if reading.starts is None else reading.starts.of(key)
    files, left_out = ((), ()) if found is None else (found.files, found.left_out)
    cut = {one.name for one in files if one.whole_chars is not None}
    reasons = [reason.partition(": ") for reason in left_out]
    chosen = {name for name, _, why in reasons if BY_VALUE in why}
    rows = [_given(one, reading, context, is_chosen=one.name in chosen) for one in files]
    rows += [_left_out(name, why) for name, _, why in reasons if why and name not in cut]
    whole = tuple(name for name, _, why in reasons if not why)
    is_startup = key == STARTUP
    about = key if reading.starts is None else reading.starts.called(key)
    return Listing(
        title="What to read without the hook" if is_startup else "What the hook gives",
        about="" if is_startup or not key else f"{context.glyphs.dot} {about}",
        source="files",
        number=2,
        columns=_FILE_COLUMNS,
        rows=tuple(rows),
        empty=("nothing yet",) if reading.starts is None else whole or ("nothing is selected",),
    )


def _given(one: Given, reading: StartsReading, context: Context, *, is_chosen: bool) -> Row:
    whole = len(one.content) if one.whole_chars is None else one.whole_chars
    old = reading.old_context(context) if one.name.endswith(ACTIVE_NAME) else ""
    words, role = (f"{old} old, says so", Role.WARNING) if old else ("whole", Role.MUTED)
    if one.is_given_once:
        words, role = "once: the next start", Role.ACCENT
    if one.whole_chars is not None:
        words, role = BY_VALUE if is_chosen else _lost(whole - len(one.content)), Role.DUE
    row = _file(f"given:{one.name}", one.name, (whole, reading.rules.max_chars), words, role)
    return replace(row, value=literal(one.path))


def _left_out(name: str, why: str) -> Row:
    why += next((how for end, how in _MAKERS.items() if name.endswith(end)), "")
    return Row(
        key=f"left:{name}",
        cells=(
            Cell(literal(name), Role.MUTED),
            Gauge(None),
            Cell(),
            Cell(literal(why)),
        ),
        value=literal(f"{name}: {why}"),
    )


_CHOICE_COLUMNS: Final = (
    Column("", 8),
    Column("value", 5, right=True, drop=1),
    Column("day", 10, drop=2),
    Column("why", 10),
    Column("observation", 20, flex=1),
)


def choice_listing(reading: StartsReading, key: str, context: Context) -> Listing:
    """Return each observation with its value, and whether a class of sessions is given it."""
    found = None if reading.starts is None else reading.starts.of(key)
    weighing = None if found is None else found.weighing
    lines = () if weighing is None else weighing.lines()
    path = next((one.path for one in found.files if one.weighing), "") if found else ""
    called = key if reading.starts is None else reading.starts.called(key)
    dot = f" {context.glyphs.dot} "
    others = dot.join(
        f"at {figures.short_kilo(one.max_chars)} {one.given} of {one.given + one.left_out}"
        for one in (() if weighing is None else weighing.outlook())
    )
    return Listing(
        title="Which observations",
        about=f"{context.glyphs.dot} {called}" if called else "",
        source="files",
        number=2,
        columns=_CHOICE_COLUMNS,
        rows=tuple(_weighed(place, one, path, context) for place, one in enumerate(lines)),
        empty=("nothing yet" if reading.starts is None else "it is given no observations",),
        fixed=((Span(f"  {others}", Role.STRONG),),) if others else (),
    )


_LACKS: Final = {Why.ROOM: "no room", Why.VALUE: "worth less"}
"""Why an observation is left out, where the word alone would read as why it is given."""


def _weighed(place: int, one: WeighedLine, path: str, context: Context) -> Row:
    text = literal_quoted(one.text)
    if context.glyphs is ASCII:
        for priority, (word, _) in PRIORITIES.items():
            text = text.replace(priority, word, 1)
    role = Role.PLAIN if one.is_taken else Role.MUTED
    return Row(
        key=f"line:{place}",
        cells=(
            Cell("given" if one.is_taken else "left out", role),
            Cell("" if one.value is None else f"{one.value:.3f}", role),
            Cell("?" if one.day is None else one.day.isoformat(), Role.MUTED),
            Cell(one.why.value if one.is_taken else _LACKS.get(one.why, one.why.value), Role.MUTED),
            Cell(text, role),
        ),
        value=literal(path),
    )


def loaded_listing(reading: StartsReading, context: Context, width: int) -> Listing:
    """Return what the platform loads by itself, and whether all of it reaches the prompt."""
    config = reading.config
    most = "" if config is None else figures.short_kilo(config.bootstrap_max_chars)
    return Listing(
        title="What the platform loads itself",
        about="" if config is None else f"{context.glyphs.dot} {most} a file",
        source="files",
        number=3,
        columns=_FILE_COLUMNS,
        rows=tuple(_loaded(one) for one in reading.limits),
        empty=("none of its files are in this workspace",),
        fixed=() if config is None else (_total(reading, config, context, width),),
    )


def _total(reading: StartsReading, config: PlatformConfig, context: Context, width: int) -> Line:
    """Return the gauge of everything together, loud where something is lost."""
    most = config.bootstrap_total_max_chars
    lost = reading.chars_over + sum(one.chars - one.limit for one in reading.limits if one.is_over)
    whose = "all, and the hook" if reading.is_hooked else "all"
    return (
        Span(f"  {whose}  ", Role.STRONG),
        *Gauge(reading.chars / most if most else None).draw(
            min(max(width - len(whose) - _WORDS, 6), _GAUGE), context.glyphs, right=False
        ),
        Span(f"  {figures.kilo(reading.chars)} of {figures.short_kilo(most)}  ", Role.STRONG),
        Span(_lost(lost) if lost else "fits", Role.DUE if lost else Role.OK),
    )


def _loaded(one: Limit) -> Row:
    words = _lost(one.chars - one.limit) if one.is_over else "whole"
    role = Role.DUE if one.is_over else Role.MUTED
    return _file(f"loaded:{one.path}", one.path, (one.chars, one.limit), words, role)


def _lost(chars: int) -> str:
    return f"CUT: {figures.short_kilo(chars)} lost"


def _file(key: str, name: str, chars: tuple[int, int], words: str, role: Role) -> Row:
    """Return a file against its limit: `chars` are its own and those that fit."""
    own, most = chars
    return Row(
        key=key,
        cells=(
            Cell(literal(name), is_id=True),
            Gauge(own / most if most else 1.0),
            Cell(f"{figures.kilo(own)} of {figures.short_kilo(most)}"),
            Cell(words, role),
        ),
        value=literal(name),
    )


_REMEDIES: Final = {
    INDEX_NAME: "lower `index_md.max_tokens`",
    ACTIVE_NAME: "c makes a new one",
    OBSERVATIONS_NAME: "F folds and archives them",
}


def remedies_listing(reading: StartsReading, context: Context, width: int) -> Listing:
    """Return what is wrong with the starts, each with what to do about it."""
    rows = []
    found = (*_platform(reading), *_given_remedy(reading, context))
    for number, (text, role) in enumerate(found):
        for place, piece in enumerate(cells.wrap(text, max(width, 8))):
            rows.append(text_row(f"do-{number}:{place}", Span(piece, role), value=text))
    return Listing(
        title="What to do",
        number=4,
        rows=tuple(rows),
        empty=("nothing yet" if reading.starts is None else "nothing: sessions get all of it",),
    )


def _platform(reading: StartsReading) -> Iterator[tuple[str, Role]]:
    for one in reading.limits:
        if one.is_over:
            lost, all_ = figures.kilo(one.chars - one.limit), figures.kilo(one.chars)
            yield (
                f"{literal(one.path)} loses {lost} of {all_} characters: move what is seldom "
                "needed into memory/, where search finds it",
                Role.DUE,
            )
    if reading.chars_over:
        yield (
            f"{figures.kilo(reading.chars_over)} characters do not fit; what the hook gives comes "
            "last: shorten the platform's files, or lower `bootstrap.total_chars`",
            Role.DUE,
        )


def _is_doubtful(hook: HookStatus) -> bool:
    """Whether nothing says that the platform runs it: no configuration, and no call."""
    return hook.is_enabled is None and hook.called_at is None


def _given_remedy(reading: StartsReading, context: Context) -> Iterator[tuple[str, Role]]:
    most = reading.most
    for given in () if most is None else most.files:
        if given.whole_chars is not None:
            remedy = _REMEDIES.get(given.name, "make it shorter")
            yield f"{given.name} is cut: {remedy}, or raise `bootstrap.max_chars`", Role.DUE
    if old := reading.old_context(context):
        yield f"ACTIVE_CONTEXT.md is {old} old: c takes a checkpoint", Role.WARNING
    hook = reading.hook
    if reading.starts is None:
        return
    if hook is None or hook.state is HookState.MISSING:
        yield (
            f"the hook {HOOK} is not installed: `memconsole hooks install` puts it there; until "
            f"then an agent has to read what stands under `{STARTUP}`",
            Role.WARNING,
        )
    elif not reading.is_hooked or hook.state is HookState.OUTDATED or _is_doubtful(hook):
        said = literal(". ".join(part for part in (hook.message, hook.hint) if part))
        yield f"{hook.name}: {said}", Role.WARNING
