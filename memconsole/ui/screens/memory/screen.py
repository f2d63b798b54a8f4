"""The memory of one agent: its files to read, its entries to add to, forget and bring back.

Files, entries and advice are read in threads.
"""

from __future__ import annotations

import logging
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final, cast

from textual import on
from textual.containers import Horizontal
from textual.message import Message

from memconsole.domain.commands.command import Subject
from memconsole.domain.commands.memory import MEMORY_ADD, MEMORY_FORGET, MEMORY_TIDY, MEMORY_UNDO
from memconsole.domain.platform_search.index import PlatformIndexHealth
from memconsole.errors import MemconsoleError
from memconsole.lazy_dataclass import dataclass
from memconsole.ui.actions.targets import for_entries
from memconsole.ui.drawing.listing import Listing
from memconsole.ui.keys import Verb, command_verb, is_read_only, panel_keys
from memconsole.ui.screens.base import AgentScreen
from memconsole.ui.screens.memory.file import File, View, file_listing, read_entries, read_file
from memconsole.ui.screens.memory.pool import (
    advice_listing,
    advised,
    files_listing,
    markers_listing,
)
from memconsole.ui.screens.search.why import index_line
from memconsole.ui.widgets.line import Bar
from memconsole.ui.widgets.pane import Pane
from memconsole.ui.workers.loading import Loaded, Loader

if TYPE_CHECKING:
    from datetime import datetime

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memconsole.domain.memory.advice import MemoryAdvice
    from memconsole.domain.memory.files import Pool
    from memconsole.engine.engine import Engine
    from memconsole.ui.actions.targets import Target
    from memconsole.ui.desk import Desk
    from memconsole.ui.drawing.excerpt import Location


PANELS = ("files", "file", "markers", "advice")


class FilesScreen(AgentScreen):
    """Shows the files of one workspace; what is done with them is in `memory.py`."""

    LOWER: ClassVar[tuple[str, ...]] = ("markers", "advice")

    def __init__(
        self, agent_id: str, path: str | None = None, spot: Location | None = None
    ) -> None:
        super().__init__("memory", agent_id)
        self._wanted = path if spot is None else spot.path
        self._spot = spot
        self._path: str | None = None
        self._file: File | None = None
        self._failures: dict[str, str] = {}
        self._width = 0
        self._view = View.RENDERED if spot is None else View.PLAIN
        self._wanted_line = ""
        self._advice: MemoryAdvice | None = None
        self._seen: datetime | None = None
        self._is_beside = False
        self._tree: Loader[Listing] = Loader(self, "files")
        self._files: Loader[File | None] = Loader(self, "file")
        self._marks: Loader[Listing] = Loader(self, "markers")
        self._advices: Loader[MemoryAdvice] = Loader(self, "advice")

    def body(self) -> ComposeResult:
        """Yield the tree, the file, and the panels below."""
        glyphs = self.desk.glyphs
        yield OwnIndex(self._agent_id)
        with Horizontal(id="upper"):
            yield Pane("files", glyphs=glyphs, classes="-current")
            yield Pane("file", glyphs=glyphs, finds=True)
        with Horizontal(id="lower"):
            yield Pane("markers", glyphs=glyphs)
            yield Pane("advice", glyphs=glyphs)

    def opened(self) -> None:
        """Show what is known already; the rest comes by itself."""
        self._load(self._wanted or "")
        self._show_file()

    # ---- drawing -------------------------------------------------------------------------

    def show_snapshot(self) -> None:
        """Show the newest reading; a memory that has changed is looked at anew."""
        pool = self._pool
        if pool is None:
            self.named("files").show(files_listing(None, self.context()))
            self.named("markers").show(markers_listing((), self.context()))
        elif pool.read_at != self._seen:
            self._seen = pool.read_at
            self._ask(pool)
        self._show_advice()
        self.show_bars()

    def _ask(self, pool: Pool) -> None:
        """Have everything read in threads: of thousands of files even the names take their time."""
        context = self.context()
        if not self.named("files").place.rows:
            self.named("files").show(Listing("Files", number=1, empty=("reading the files",)))
            self.named("markers").show(markers_listing(None, context))
        self._tree.ask(lambda: files_listing(pool, context))
        self._load(self._path or "")

    def _ask_for_more(self, arrived: str) -> None:
        """Ask for what takes longer once the names are seen: threads share one processor."""
        (engine, agent_id), context = self.desk.engine.of(self._agent_id), self.context()
        if arrived == "files":
            self._marks.ask(
                lambda: markers_listing(
                    (one for _, one in engine.memory.markers(agent_id)), context
                )
            )
        elif arrived == "markers":
            self._advices.ask(lambda: engine.memory.advice(agent_id))

    @on(Loaded)
    def show_loaded(self, message: Loaded) -> None:
        """Show what arrived; what failed says so in its own panel."""
        self._failures[message.what] = message.failure
        match message.what:
            case "files" | "markers":
                (self._tree if message.what == "files" else self._marks).done()
                self._show_listing(message.what, cast("Listing | None", message.value))
                self._ask_for_more(message.what)
            case "file":
                self._files.done()
                self._file = cast("File | None", message.value)
                self._show_file()
            case _:
                self._advices.done()
                is_first, advice = self._advice is None, self.named("advice")
                self._advice = cast("MemoryAdvice | None", message.value) or self._advice
                self._show_advice()
                if is_first and not advice.has_focus:
                    advice.action_first()

    def _show_listing(self, name: str, listing: Listing | None) -> None:
        pane = self.named(name)
        if listing is None:
            pane.show(replace(pane.listing, problem=self._failures[name]))
            return
        pane.show(listing)
        if name == "files" and self._wanted is not None:
            # A file that was found beside the workspace stays, although no row is its.
            self._is_beside = not pane.select(f"file:{self._wanted}")
            self._wanted = None

    def _show_advice(self) -> None:
        pane = self.named("advice")
        width, failure = pane.room[0], self._failures.get("advice", "")
        listing = advice_listing(self._pool, self._advice, self.context(), width, failure=failure)
        pane.show(listing)

    @on(Pane.Moved, "#files")
    def file_chosen(self) -> None:
        """Read the file under the cursor."""
        row = self.named("files").row
        if self._is_beside:
            self._is_beside = False
        elif row is not None and row.value != self._path:
            self._load(row.value)
        self.show_keys()

    def _load(self, path: str) -> None:
        """Read a file and lay it out in a thread."""
        if not path:
            return
        if path != self._path:
            self._path, self._file = path, None
            self.named("file").unmark()
            self.named("file").action_first()
        (engine, agent_id), view = self.desk.engine.of(self._agent_id), self._view
        pool = self._pool
        width = self._width = self.named("file").room[0]
        is_of_pool = pool is None or any(item.path == path for item in pool.items)
        wanted = Wanted(agent_id, path, view, is_beside=not is_of_pool)
        self._files.ask(lambda: wanted.read(engine, width))

    def _show_file(self) -> None:
        pane = self.named("file")
        if self._file is None:
            waiting = "reading" if self._files.is_running else "this file is gone"
            text = self._failures.get("file") or (waiting if self._path else "select a file")
            pane.show(Listing("File", number=2, empty=(text,)))
            return
        pane.show(file_listing(self._file, self._path or "", self.context()))
        pane.place.marks &= {row.key for row in self._file.rows}
        if self._spot is not None and self._spot.path == self._path:
            self._wanted_line, self._spot = self._file.key_of(self._spot), None
        if self._wanted_line and pane.select(self._wanted_line):
            self._wanted_line = ""
            self.focus_pane(pane)
        self.show_keys()

    @on(Pane.Resized)
    def wrap_again(self) -> None:
        """Wrap for the new width."""
        if not self.is_open:
            return
        if self.named("file").room[0] != self._width and self._view is not View.ENTRIES:
            self._load(self._path or "")
        self.show_snapshot()

    def turn(self, view: View, path: str = "", key: str = "") -> None:
        """Show a file in a certain way, at a certain row."""
        self._view, self._wanted_line = view, key
        self.named("file").unmark()
        self._load(path or self._path or "")
        if path:
            self.named("files").select(f"file:{path}")
        else:
            self.action_panel(2)

    @property
    def _is_listed(self) -> bool:
        return self._file is not None and self._file.view is View.ENTRIES


_PICK = "select an entry first: a e lists those of this file"


class MemoryScreen(FilesScreen):
    """The files of one workspace, and what can be done with what stands in them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *panel_keys(PANELS),
    ]
    ACTIONS: ClassVar[tuple[Verb, ...]] = (
        command_verb("a", MEMORY_ADD, "add"),
        command_verb("D", MEMORY_FORGET, "forget"),
        command_verb("u", MEMORY_UNDO, "undo"),
        command_verb("t", MEMORY_TIDY, "tidy"),
        Verb("e", "entries", "entries", "The entries of this file, and back", "entries"),
        Verb("p", "plain", "plain", "Rendered or plain text", "plain"),
        Verb("w", "copy_line", "words", "Copy the words of this line", "copy-line"),
        Verb("h", "edit", "by hand", "How to edit this file by hand", "edit"),
    )
    MARKED: ClassVar[tuple[str, ...]] = ("file",)

    # ---- keys ----------------------------------------------------------------------------

    def action_copy(self) -> None:
        """Copy the path, of a file as it is written with the line; of an entry its words."""
        row = self.named("file").row
        if self.pane is not self.named("file") or self._is_listed or row is None:
            super().action_copy()
            return
        line = row.key.partition(":")[0] if self._view is View.PLAIN else ""
        self.desk.copy(f"{self._path}:{line}" if line.isdigit() else f"{self._path}")

    def action_copy_line(self) -> None:
        """Copy the words of the line under the cursor."""
        super().action_copy()

    def action_plain(self) -> None:
        """Show the file as it is written, or rendered."""
        self.turn(View.RENDERED if self._view is View.PLAIN else View.PLAIN)

    def action_entries(self) -> None:
        """Show the entries of the file, which can be forgotten, or the file again."""
        self.turn(View.RENDERED if self._view is View.ENTRIES else View.ENTRIES)

    def action_edit(self) -> None:
        """Say how the file is edited by hand: an editor needs the terminal for itself."""
        words = ("memconsole", "memory", "edit", self._path or "", "--agent", self._agent_id)
        line = shlex.join(words)
        self.desk.copy(line)
        self.say(f"{line} opens your editor; the line is copied")

    def action_open(self) -> None:
        """Go from a file, a marked line, an entry or an advice to its text."""
        pane, row = self.pane, None if self.pane is None else self.pane.row
        if pane is None or row is None:
            return
        entry = advised(self._advice, row.key) if pane.id == "advice" else None
        if entry is not None:
            self.turn(View.ENTRIES, entry.path, entry.id)
        elif pane.id == "markers":
            path, line = row.key.rsplit(":", 2)[:2]
            self.turn(View.PLAIN, path, f"{line}:0")
        elif pane.id == "file" and self._is_listed:
            self.turn(View.PLAIN, key=f"{row.cells[2].text}:0")
        else:
            self.action_panel(2)

    def _chosen(self) -> tuple[str, ...]:
        """Return the ids of the marked entries, else of the one under the cursor."""
        pane = self.pane
        if pane is None or pane.row is None:
            return ()
        if pane.id == "advice":
            entry = advised(self._advice, pane.row.key)
            return () if entry is None else (entry.id,)
        if pane.id != "file" or not self._is_listed:
            return ()
        marks = pane.place.marks or {pane.row.key}
        ids = (row.key.partition(" ")[0] for row in pane.place.rows if row.key in marks)
        return tuple(dict.fromkeys(ids))

    def why_not(self, action: str, parameters: tuple[object, ...]) -> str | None:
        """Add what only this screen knows."""
        reason = super().why_not(action, parameters)
        is_forget = action == "command" and parameters == (MEMORY_FORGET.name,)
        if reason is None and is_forget and not self._chosen():
            return _PICK
        if action == "mark" and not (
            self.pane is not None and self.pane.id == "file" and self._is_listed
        ):
            return _PICK
        if action in ("entries", "edit", "plain") and self._path is None:
            return "select a file first"
        if action == "edit" and self.desk.settings.ui.read_only:
            return is_read_only("memory edit")
        return reason

    def targets(self, subject: Subject) -> tuple[Target, ...]:
        """Return the agent whose memory this is, or the entries that are chosen."""
        snapshot = self.desk.snapshot
        if snapshot is None or subject is not Subject.ENTRY:
            return super().targets(subject)
        return for_entries(snapshot, self._agent_id, self._chosen())


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file, and how it shall be shown.

    Attributes:
        is_beside: It was found beside the workspace, in a folder of `search.extra_paths`.
    """

    agent_id: str
    path: str
    view: View
    is_beside: bool

    def read(self, engine: Engine, width: int) -> File | None:
        """Return it for a width in cells; None when it is gone.

        Raises:
            MemconsoleError: It cannot be read.
        """
        if self.view is View.ENTRIES:
            return read_entries(engine.memory.entries(self.agent_id, self.path))
        if self.is_beside:
            text = "\n".join(engine.search.lines(self.agent_id, self.path)) or None
        else:
            text = engine.memory.text(self.agent_id, self.path)
        return read_file(text, self.path, width, is_plain=self.view is View.PLAIN)


logger = logging.getLogger(__name__)

_EVERY_S: Final = 60.0


class OwnIndex(Bar, inherit_bindings=False):
    """Says whether an agent's own index is whole; looks now and then, in a thread.

    Without an index it takes no room: there is nothing to look after.

    Args:
        agent_id: Whose index.
    """

    class Looked(Message):
        """The index was looked at."""

        def __init__(self, health: PlatformIndexHealth) -> None:
            super().__init__()
            self.health = health

    def __init__(self, agent_id: str) -> None:
        super().__init__("own-index")
        self._agent_id = agent_id

    def on_mount(self) -> None:
        """Look at once, and again while the screen is open; nothing is shown before."""
        self.display = False
        self.look()
        self.set_interval(_EVERY_S, self.look)

    def look(self) -> None:
        """Look at the index in a thread; one look at a time."""
        self.run_worker(self._look, thread=True, group="own-index", exit_on_error=False)

    def _look(self) -> None:
        try:
            engine, agent_id = cast("Desk", self.app).engine.of(self._agent_id)
            [health] = engine.platform_search.indexes(agent_id)
        except MemconsoleError as error:
            health = PlatformIndexHealth(self._agent_id, because=str(error))
        except Exception:
            logger.exception("the index of %s could not be looked at", self._agent_id)
            because = "looking failed, which is a bug; press l for the log"
            health = PlatformIndexHealth(self._agent_id, because=because)
        self.post_message(self.Looked(health))

    @on(Looked)
    def show_health(self, message: Looked) -> None:
        """Show what was found."""
        message.stop()
        self.display = not message.health.is_absent
        dot = cast("Desk", self.app).glyphs.dot
        self.show(lambda _width: index_line(message.health, dot))
