"""One session: what was said, how full it is and why, how it grew, what belongs to it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Horizontal, Vertical

from memconsole.domain.commands.command import Subject
from memconsole.domain.commands.restore import BRANCH, RESTORE
from memconsole.domain.sessions.windows import BEFORE_RESET, WindowState
from memconsole.domain.transcripts.records import MessageKind
from memconsole.text import cells, figures
from memconsole.ui.actions.targets import for_session
from memconsole.ui.drawing.listing import Listing, text_row
from memconsole.ui.drawing.literal import literal, literal_block
from memconsole.ui.drawing.names import full_name, row_key
from memconsole.ui.drawing.spans import Role, Span
from memconsole.ui.keys import WHAT_IF, Verb, panel_keys, refusal
from memconsole.ui.screens.base import ConsoleScreen
from memconsole.ui.screens.session.rows import (
    WINDOW,
    fill_listing,
    growth_listing,
    state_listing,
    windows_listing,
)
from memconsole.ui.widgets.pane import Pane
from memconsole.ui.workers.loading import Loaded, Loader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memconsole.domain.commands.command import CommandSpec
    from memconsole.domain.sessions.windows import Window
    from memconsole.domain.snapshot.snapshot import SessionDetail, SessionView, TranscriptView
    from memconsole.domain.transcripts.records import Message
    from memconsole.ui.actions.targets import Target
    from memconsole.ui.drawing.context import Context
    from memconsole.ui.drawing.spans import Row


_TAIL = 400
"""Messages that are loaded at first; Enter on the first line loads all."""

_PANELS = ("messages", "state", "fill", "growth", "windows")


class SessionScreen(ConsoleScreen):
    """Everything about one session; it follows the transcript while it grows."""

    BINDINGS: ClassVar[list[BindingType]] = [*panel_keys(_PANELS)]
    ACTIONS: ClassVar[tuple[Verb, ...]] = (
        Verb("p", "pruning", "pruning", "What the platform would prune", "pruning"),
        WHAT_IF,
        Verb("r", "restore", "restore", RESTORE.help, RESTORE.name, panels=("windows",)),
        Verb("b", "branch", "branch", BRANCH.help, "branch", panels=("windows",)),
    )
    LOWER: ClassVar[tuple[str, ...]] = _PANELS[1:]

    def __init__(self, view: SessionView, find: str = "") -> None:
        super().__init__("session")
        self._view = view
        self._find = find
        self._tail: int | None = None if find else _TAIL
        self._seen: tuple[object, ...] = ()
        self._messages: Loader[TranscriptView] = Loader(self, "transcript")
        self._details: Loader[SessionDetail] = Loader(self, "detail")

    @property
    def where(self) -> str:
        """Agent and name of the session."""
        return full_name(self._view)

    def body(self) -> ComposeResult:
        """Yield the messages, and the panels beside or below them."""
        glyphs = self.desk.glyphs
        with Horizontal(id="main"):
            yield Pane("messages", glyphs=glyphs, finds=True, classes="-current")
            with Vertical(id="lower"):
                for name in self.LOWER:
                    yield Pane(name, glyphs=glyphs)

    def opened(self) -> None:
        """Ask for the messages first, then for the whole reading."""
        self._load()

    def _load(self) -> None:
        (engine, _), tail = self.desk.engine.of(self._view.agent.id), self._tail
        name = self._view.key_text or self._view.session_id or ""
        if self._view.state.value != "live" and self._view.session_id is not None:
            name = self._view.session_id
        self._messages.ask(lambda: safe_transcript(engine.sessions.transcript(name, tail=tail)))
        self._details.ask(lambda: engine.sessions.detail(name, with_windows=True))

    @on(Loaded)
    def show_loaded(self, message: Loaded) -> None:
        """Show what arrived; a failure stands in its own panel."""
        if message.what == "transcript":
            self._follow(message)
        else:
            self._details.take(message)
        self.show_snapshot()

    def _follow(self, message: Loaded) -> None:
        """Take the messages; a cursor at the end stays at the end."""
        pane = self.named("messages")
        place = pane.place
        is_at_end = self._messages.value is None or place.number == len(place.rows) - 1
        self._messages.take(message)
        if message.failure:
            return
        self._show_messages()
        if self._find:
            pane.action_first()
            pane.filter(self._find)
            self._find = ""
        elif is_at_end and not place.needle:
            pane.action_last()

    def show_snapshot(self) -> None:
        """Show the newest reading; a session that has moved on is read again."""
        self._take_view()
        self._show_messages()
        context, detail, view = self.context(), self._details.value, self._view
        state, growth = self.named("state"), self.named("growth")
        state.show(state_listing(view, detail, context, state.room[0]))
        self.named("fill").show(fill_listing(detail, context))
        growth.show(growth_listing(detail, view, context, growth.room))
        self.named("windows").show(windows_listing(detail, context))
        self.show_bars()

    def _take_view(self) -> None:
        snapshot = self.desk.snapshot
        key = row_key(self._view)
        sessions = () if snapshot is None else snapshot.sessions
        found = next((view for view in sessions if row_key(view) == key), None)
        if found is not None and found is not self._view:
            has_moved = found.stored != self._view.stored
            self._view = found
            if has_moved:
                self._load()

    def _show_messages(self) -> None:
        pane = self.named("messages")
        if self._messages.value is None:
            text = self._messages.failure or "reading the transcript"
            pane.show(Listing("Messages", number=1, empty=(text,)))
            return
        seen = (self._messages.value, pane.room[0], self._messages.failure)
        if not _is_same(seen, self._seen):
            self._seen = seen
            listing = messages_listing(self._messages.value, self.context(), pane.room[0])
            pane.show(replace(listing, problem=self._messages.failure or listing.problem))

    @on(Pane.Resized)
    def wrap_again(self) -> None:
        """Wrap and plot for the new width."""
        if self.is_open:
            self.show_snapshot()

    def action_open(self) -> None:
        """Load all messages, or go to another window of this session."""
        pane, row = self.pane, None if self.pane is None else self.pane.row
        if pane is None or row is None:
            return
        if row.key == "earlier":
            self._tail = None
            self._load()
            self.say("loading all messages")
        elif pane.id == "windows" and self._details.value is not None:
            wanted = row.key.removeprefix(WINDOW).removesuffix(BEFORE_RESET)
            for view in self._details.value.related:
                if wanted in (row_key(view), view.session_id):
                    self.desk.go.session(view)
                    return
            self.say("its messages are in panel 1")

    def action_pruning(self) -> None:
        """Show what the platform would prune of its next request."""
        self.desk.go.pruning(self._view)

    def action_restore(self) -> None:
        """Ask whether the window under the cursor is handed over to the next start."""
        self._begin(RESTORE)

    def action_branch(self) -> None:
        """Ask whether the Gateway makes a session of the window; without it only the plan."""
        self._begin(BRANCH)

    def _begin(self, spec: CommandSpec) -> None:
        window, desk = self._window, self.desk
        if window is not None:
            given = {**spec.given, "window": window.id}
            why = refusal(spec, desk.settings, desk.snapshot) or ""
            desk.begin(replace(spec, given=given), (for_session(self._view),), why)

    @property
    def _window(self) -> Window | None:
        """The window under the cursor; None where another row is, or another panel."""
        detail, row = self._details.value, self.named("windows").row
        name = "" if row is None or detail is None else row.key.removeprefix(WINDOW)
        known = () if detail is None else detail.windows
        return next((one for one in known if one.id == name), None)

    def why_not(self, action: str, parameters: tuple[object, ...]) -> str | None:
        """Add what only this screen knows."""
        if action in ("restore", "branch") and self.is_open:
            return _why_not_restored(self._window) or super().why_not("command", (RESTORE.name,))
        if action == "open":
            pane, row = self.pane, None if self.pane is None else self.pane.row
            can_open = row is not None and (
                row.key == "earlier" or (pane is not None and pane.id == "windows")
            )
            return None if can_open else "there is nothing to go into here"
        return super().why_not(action, parameters)

    def targets(self, subject: Subject) -> tuple[Target, ...]:
        """Return this session; it has no entries of a memory."""
        return () if subject is Subject.ENTRY else (for_session(self._view),)


def _why_not_restored(window: Window | None) -> str | None:
    if window is None:
        return "the cursor is on no earlier window of this session"
    if window.state is WindowState.CURRENT:
        return "this window goes on: what has ended can be handed over"
    return None


def _is_same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    """Compare by identity where comparing by value would read whole transcripts."""
    return len(one) == len(other) and one[0] is other[0] and one[1:] == other[1:]


_MOST_LINES = 200
"""Lines of one message; a pasted log of a megabyte would bury the session around it."""

_MOST_CHARS = 40_000
"""Characters of one message that are wrapped at all."""

_ROLES = {"user": Role.ACCENT, "assistant": Role.OK}


def safe_transcript(view: TranscriptView) -> TranscriptView:
    """Return the transcript cleaned and masked; it takes its time, for the thread that loads."""
    messages = tuple(
        replace(message, text=literal_block(message.text)) for message in view.messages
    )
    return replace(view, messages=messages)


def messages_listing(view: TranscriptView, context: Context, width: int) -> Listing:
    """Return the messages, wrapped for a width in cells; the oldest comes first.

    Args:
        view: A transcript that went through `safe_transcript`.
        context: Time and zone.
        width: Cells of a line.
    """
    rows: list[Row] = []
    if not view.is_whole and view.messages:
        rows.append(
            text_row(
                "earlier", Span("earlier messages are not loaded: enter loads all", Role.MUTED)
            )
        )
    for number, message in enumerate(view.messages):
        rows += _message(number, message, context, width)
    return Listing(
        title="Messages",
        about=f"{context.glyphs.dot} {_about(view)}",
        source="transcript",
        number=1,
        rows=tuple(rows),
        empty=("no messages: it has not run yet, or its transcript is empty",),
        problem=literal(view.notices[0].message) if view.notices else "",
    )


def _about(view: TranscriptView) -> str:
    counts = view.counts
    parts = [figures.plural(len(view.messages), "message")]
    if not view.is_whole:
        parts[0] = f"last {parts[0]}"
    for count, word in (
        (counts.damaged, "damaged"),
        (counts.in_progress, "in progress"),
        (counts.filtered, "filtered"),
        (counts.off_path, "off the path"),
        (counts.unknown, "of an unknown kind"),
    ):
        if count:
            parts.append(f"{figures.thousands(count)} {word}")
    return ", ".join(parts)


def _message(number: int, message: Message, context: Context, width: int) -> Iterator[Row]:
    time = figures.moment(message.at, context.now, context.zone)
    text = message.text
    key = f"m{number}"
    if message.kind in (MessageKind.COMPACTION, MessageKind.RESET):
        rule = context.glyphs.horizontal * 3
        yield text_row(
            f"{key}:0", Span(f"{rule} {time} {message.kind.value} {rule}", Role.WARNING), value=text
        )
    else:
        role = literal(message.role or message.kind.value)
        tone = _ROLES.get(role, Role.MUTED)
        spans = [Span(f"{time} ", Role.MUTED), Span(role, tone)]
        if not message.on_path:
            spans.append(Span(" (off the active path)", Role.MUTED))
        yield text_row(f"{key}:0", *spans, value=text)
    for note in message.attachments:
        yield text_row(f"{key}:a{note}", Span(f"  [{literal(note)}]", Role.MUTED), value=text)
    yield from _text(key, text, width)


def _text(key: str, text: str, width: int) -> Iterator[Row]:
    left = len(text)
    for line, piece in enumerate(cells.wrap(text[:_MOST_CHARS], max(width - 2, 8))):
        if line >= _MOST_LINES:
            yield text_row(
                f"{key}:more",
                Span(f"  {figures.thousands(left)} more characters; y copies all", Role.MUTED),
                value=text,
            )
            return
        left -= len(piece)
        yield text_row(f"{key}:{line + 1}", Span(f"  {piece}"), value=text)
    if len(text) > _MOST_CHARS:
        yield text_row(
            f"{key}:more",
            Span(
                f"  {figures.thousands(len(text) - _MOST_CHARS)} more characters; y copies all",
                Role.MUTED,
            ),
            value=text,
        )
