"""What the platform would prune of one session's next request, and what fills it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final, cast

from textual import on
from textual.containers import Horizontal

from memconsole.domain.commands.command import Subject
from memconsole.domain.pruning import PruningMode
from memconsole.engine.pruning import PruningRequest
from memconsole.ui.actions.targets import for_session
from memconsole.ui.drawing.names import row_key, session_name
from memconsole.ui.keys import Verb, panel_keys
from memconsole.ui.screens.base import ConsoleScreen
from memconsole.ui.screens.session.pruning_rows import results_listing, window_listing
from memconsole.ui.screens.session.rows import fill_listing
from memconsole.ui.widgets.pane import Pane
from memconsole.ui.workers.loading import Loaded, Loader

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memconsole.domain.snapshot.snapshot import SessionDetail, SessionView
    from memconsole.engine.pruning import PruningPreview
    from memconsole.ui.actions.targets import Target

_PANELS = ("results", "window", "fill")
_MODES: Final = (None, *PruningMode)
"""Choices of the mode: as configured, then each."""


class PruningScreen(ConsoleScreen):
    """A preview; the transcript is only read, and nothing is ever written."""

    BINDINGS: ClassVar[list[BindingType]] = [*panel_keys(_PANELS)]
    ACTIONS: ClassVar[tuple[Verb, ...]] = (
        Verb("x", "mode", "mode", "Another mode, and as configured", "mode"),
        Verb("d", "due", "when due", "As if the ttl were over, and now", "due"),
    )
    LOWER: ClassVar[tuple[str, ...]] = ("window", "fill")

    def __init__(self, view: SessionView) -> None:
        super().__init__("pruning")
        self._view = view
        self._request = PruningRequest()
        self._preview: PruningPreview | None = None
        self._detail: SessionDetail | None = None
        self._failures: dict[str, str] = {}
        self._previews: Loader[PruningPreview] = Loader(self, "pruning")
        self._details: Loader[SessionDetail] = Loader(self, "detail")

    @property
    def where(self) -> str:
        """The session whose next request it is."""
        glyphs = self.desk.glyphs
        return f"pruning {glyphs.dot} {self._view.agent.id} {glyphs.dot} " + session_name(
            self._view
        )

    def body(self) -> ComposeResult:
        """Yield the results, and what they do to the window."""
        glyphs = self.desk.glyphs
        yield Pane("results", glyphs=glyphs, classes="-current")
        with Horizontal(id="lower"):
            yield Pane("window", glyphs=glyphs)
            yield Pane("fill", glyphs=glyphs)

    def on_mount(self) -> None:
        """Ask for the preview as configured, then for what fills the context."""
        super().on_mount()
        self._ask()

    @property
    def _asked(self) -> str:
        return self._view.key_text or self._view.session_id or ""

    def _ask(self) -> None:
        engine, name, request = self.desk.engine, self._asked, self._request
        self._previews.ask(lambda: engine.sessions.pruned(name, request))
        self._details.ask(lambda: engine.sessions.detail(name))

    # ---- drawing -------------------------------------------------------------------------

    def show_snapshot(self) -> None:
        """Preview again when the session has moved on."""
        snapshot, key = self.desk.snapshot, row_key(self._view)
        sessions = () if snapshot is None else snapshot.sessions
        found = next((view for view in sessions if row_key(view) == key), self._view)
        has_moved = found.stored != self._view.stored
        self._view = found
        if has_moved:
            self._ask()
        self._show()
        super().show_snapshot()

    @on(Loaded)
    def show_loaded(self, message: Loaded) -> None:
        """Show what was found, or why nobody could look."""
        self._failures[message.what] = message.failure
        if message.what == "pruning":
            self._previews.done()
            self._preview = cast("PruningPreview | None", message.value)
        else:
            self._details.done()
            self._detail = cast("SessionDetail | None", message.value) or self._detail
        self._show()

    @on(Pane.Resized, "#window")
    def _show(self) -> None:
        if not self.is_open:
            return
        context, window = self.context(), self.named("window")
        plan = None if self._preview is None else self._preview.plan
        failure = self._failures.get("pruning", "")
        self.named("results").show(results_listing(plan, failure, context))
        width, failed = window.room[0], bool(failure)
        window.show(window_listing(plan, self._request, context, width, failed=failed))
        self.named("fill").show(fill_listing(self._detail, context))
        self.show_keys()

    # ---- keys ----------------------------------------------------------------------------

    def action_mode(self) -> None:
        """Preview by another mode than the configured one, and by that one again."""
        place = (_MODES.index(self._request.mode) + 1) % len(_MODES)
        self._wonder(replace(self._request, mode=_MODES[place]))

    def action_due(self) -> None:
        """Preview the moment at which the ttl is over, and the present again."""
        due_at = None if self._preview is None else self._preview.plan.due_at
        self._wonder(replace(self._request, at=due_at if self._request.at is None else None))

    def _wonder(self, request: PruningRequest) -> None:
        self._request = request
        mode = () if request.mode is None else ("--mode", request.mode.value)
        at = () if request.at is None else ("--at", request.at.isoformat(timespec="seconds"))
        what = f"pruning of {session_name(self._view)}"
        words = ("prune-preview", self._asked, *mode, *at)
        self.desk.history.add(self.desk.clock.now(), what, *words)
        self._ask()

    def why_not(self, action: str, parameters: tuple[object, ...]) -> str | None:
        """Add what only this screen knows."""
        plan = None if self._preview is None else self._preview.plan
        if action in ("mode", "due") and plan is None:
            return "there is no preview yet"
        if action == "due" and self._request.at is None and (plan is None or plan.due_at is None):
            return "no ttl runs: it counts from the last call, in the mode cache-ttl"
        if action == "open":
            return "there is nothing to go into here"
        return super().why_not(action, parameters)

    def targets(self, subject: Subject) -> tuple[Target, ...]:
        """Return this session; it has no entries of a memory."""
        return () if subject is Subject.ENTRY else (for_session(self._view),)
