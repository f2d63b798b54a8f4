"""The memory of one agent: its files, one of them to read, marked lines, limits and warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.containers import Horizontal

from memconsole.ui.keys import bind
from memconsole.ui.listing import Listing
from memconsole.ui.loading import Loaded, Loader
from memconsole.ui.rows.file import File, file_listing, read_file
from memconsole.ui.rows.pool import checks_listing, files_listing, markers_listing
from memconsole.ui.screens.base import ConsoleScreen
from memconsole.ui.targets import for_agents
from memconsole.ui.widgets.pane import Pane

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memconsole.domain.catalogue import Subject
    from memconsole.domain.memory import Marker, Pool
    from memconsole.ui.rows.file import Spot
    from memconsole.ui.targets import Target

_PANELS = ("files", "file", "markers", "checks")


class MemoryScreen(ConsoleScreen):
    """The files of one workspace."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            bind(
                str(number),
                f"panel({number})",
                name,
                f"Panel {number}: {name}",
                name=f"panel-{number}",
            )
            for number, name in enumerate(_PANELS, 1)
        ),
        bind("p", "plain", "plain", "Rendered or plain text", name="plain", show=True),
    ]
    LOWER: ClassVar[tuple[str, ...]] = ("markers", "checks")

    def __init__(self, agent_id: str, path: str | None = None, spot: Spot | None = None) -> None:
        super().__init__("memory")
        self._agent_id = agent_id
        self._wanted = path if spot is None else spot.path
        self._spot = spot
        self._path: str | None = None
        self._file: File | None = None
        self._failure = ""
        self._width = 0
        self._is_plain = spot is not None
        self._wanted_line = ""
        self._markers: tuple[Marker, ...] | None = None
        self._seen: object = None
        self._files: Loader[File | None] = Loader(self, "file")
        self._marks: Loader[tuple[tuple[str, Marker], ...]] = Loader(self, "markers")

    @property
    def where(self) -> str:
        """Agent whose memory it is."""
        return f"memory {self.desk.glyphs.dot} {self._agent_id}"

    def body(self) -> ComposeResult:
        """Yield the tree, the file, and the panels below."""
        glyphs = self.desk.glyphs
        with Horizontal(id="upper"):
            yield Pane("files", glyphs=glyphs, classes="-current")
            yield Pane("file", glyphs=glyphs, finds=True)
        with Horizontal(id="lower"):
            yield Pane("markers", glyphs=glyphs)
            yield Pane("checks", glyphs=glyphs)

    def on_mount(self) -> None:
        """Show the tree, and the file that was asked for."""
        super().on_mount()
        self.choose_lower("markers")
        files = self.named("files")
        self.focus_pane(files)
        if self._wanted is not None and not files.select(f"file:{self._wanted}"):
            self._load(self._wanted)

    def _pool(self) -> Pool | None:
        snapshot = self.desk.snapshot
        for agent in () if snapshot is None else snapshot.agents:
            if agent.ref.id == self._agent_id:
                return agent.pool
        return None

    # ---- drawing -------------------------------------------------------------------------

    def show_snapshot(self) -> None:
        """Show the newest reading; files that changed are read again."""
        pool, context = self._pool(), self.context()
        self.named("files").show(files_listing(pool, context))
        checks = self.named("checks")
        checks.show(checks_listing(pool, checks.room[0]))
        if pool is not None and pool.read_at != self._seen:
            self._seen = pool.read_at
            engine, agent_id = self.desk.engine, self._agent_id
            self._marks.ask(lambda: engine.markers(agent_id))
            self._load(self._path or "")
        self._show_markers()
        self.show_bars()

    def _show_markers(self) -> None:
        self.named("markers").show(markers_listing(self._markers, self.context()))

    @on(Pane.Moved, "#files")
    def file_chosen(self) -> None:
        """Read the file under the cursor."""
        row = self.named("files").row
        if row is not None and row.value != self._path:
            self._load(row.value)
        self.show_keys()

    def _load(self, path: str) -> None:
        """Read and render a file in a thread."""
        if not path:
            return
        if path != self._path:
            self._path, self._file = path, None
            self.named("file").action_first()
        engine, agent_id, is_plain = self.desk.engine, self._agent_id, self._is_plain
        width = self._width = self.named("file").room[0]
        pool = self._pool()
        is_of_pool = pool is None or any(item.path == path for item in pool.items)

        def read() -> File | None:
            if is_of_pool:
                text = engine.memory_text(agent_id, path)
            else:  # found beside the workspace, in a folder of `search.extra_paths`
                text = "\n".join(engine.document_lines(agent_id, path)) or None
            return read_file(text, path, width, is_plain=is_plain)

        self._files.ask(read)

    @on(Loaded)
    def show_loaded(self, message: Loaded) -> None:
        """Show what arrived."""
        if message.what == "markers":
            self._marks.done()
            found = cast("tuple[tuple[str, Marker], ...]", message.value or ())
            self._markers = tuple(marker for _, marker in found)
            self._show_markers()
            return
        self._files.done()
        self._failure = message.failure
        self._file = cast("File | None", message.value)
        self._show_file()

    def _show_file(self) -> None:
        pane = self.named("file")
        if self._file is None:
            waiting = "reading" if self._files.is_running else "this file is gone"
            text = self._failure or (waiting if self._path else "select a file")
            pane.show(Listing("File", number=2, empty=(text,)))
            return
        pane.show(file_listing(self._file, self._path or "", self.context()))
        if self._spot is not None and self._spot.path == self._path:
            self._wanted_line, self._spot = self._spot.key_in(self._file), None
        if self._wanted_line and pane.select(self._wanted_line):
            self._wanted_line = ""
            self.focus_pane(pane)

    @on(Pane.Resized)
    def wrap_again(self) -> None:
        """Wrap for the new width."""
        if not self.is_open:
            return
        if self.named("file").room[0] != self._width:
            self._load(self._path or "")
        self.show_snapshot()

    # ---- keys ----------------------------------------------------------------------------

    def action_plain(self) -> None:
        """Show the file as it is written, or rendered."""
        self._is_plain = not self._is_plain
        self._load(self._path or "")
        self.action_panel(2)

    def action_open(self) -> None:
        """Go from a file or a marked line to its text."""
        pane, row = self.pane, None if self.pane is None else self.pane.row
        if pane is None or row is None:
            return
        if pane.id == "markers":
            path, line = row.key.rsplit(":", 2)[:2]
            self._is_plain = True
            self._wanted_line = f"{line}:0"
            self._load(path)
            self.named("files").select(f"file:{path}")
        else:
            self.action_panel(2)

    def targets(self, subject: Subject) -> tuple[Target, ...]:
        """Return the agent whose memory this is."""
        snapshot = self.desk.snapshot
        return () if snapshot is None else for_agents(snapshot, (self._agent_id,), subject)
