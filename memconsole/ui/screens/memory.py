"""The memory of one agent: its files, one of them to read, marked lines, limits and warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.containers import Horizontal, Vertical
from textual.content import Content

from memconsole.ui.keys import bind
from memconsole.ui.listing import Listing
from memconsole.ui.literal import literal, literal_block
from memconsole.ui.loading import Loaded, Loader
from memconsole.ui.rows.pool import checks_listing, files_listing, markers_listing, plain_listing
from memconsole.ui.screens.base import ConsoleScreen
from memconsole.ui.targets import for_agents
from memconsole.ui.widgets.document import Document
from memconsole.ui.widgets.pane import Pane

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memconsole.domain.catalogue import Subject
    from memconsole.domain.memory import Marker, Pool
    from memconsole.ui.targets import Target

RENDERED_UP_TO = 256 * 1024
"""Bytes; a larger file would hold the console while it is rendered, so it stays plain text."""

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

    def __init__(self, agent_id: str, path: str | None) -> None:
        super().__init__(id="memory")
        self._agent_id = agent_id
        self._path = path
        self._text: str | None = None
        self._loaded_path = ""
        self._failure = ""
        self._plain = False
        self._wanted_line = ""
        self._markers: tuple[Marker, ...] | None = None
        self._seen: object = None
        self._files: Loader[str | None] = Loader(self, "file")
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
            with Vertical(id="reading"):
                yield Pane("file", glyphs=glyphs, finds=True)
                yield Document(id="document")
        with Horizontal(id="lower"):
            yield Pane("markers", glyphs=glyphs)
            yield Pane("checks", glyphs=glyphs)

    def on_mount(self) -> None:
        """Show the tree, and the file that was asked for."""
        super().on_mount()
        self.choose_lower("markers")
        files = self.query_one("#files", Pane)
        self.focus_pane(files)
        if self._path is not None:
            files.select(f"file:{self._path}")

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
        self.query_one("#files", Pane).show(files_listing(pool, context))
        checks = self.query_one("#checks", Pane)
        checks.show(checks_listing(pool, checks.room[0]))
        if pool is not None and pool.read_at != self._seen:
            self._seen = pool.read_at
            engine, agent_id = self.desk.engine, self._agent_id
            self._marks.ask(lambda: engine.markers(agent_id))
            self._load(self._loaded_path)
        self._show_markers()
        self.show_bars()

    def _show_markers(self) -> None:
        self.query_one("#markers", Pane).show(markers_listing(self._markers, self.context()))

    @on(Pane.Moved, "#files")
    def file_chosen(self) -> None:
        """Read the file under the cursor."""
        row = self.query_one("#files", Pane).row
        if row is not None and row.value != self._loaded_path:
            self._load(row.value)
        self.show_keys()

    def _load(self, path: str) -> None:
        if path:
            engine, agent_id = self.desk.engine, self._agent_id
            self._loaded_path = path
            self._files.ask(lambda: engine.memory_text(agent_id, path))

    @on(Loaded)
    async def show_loaded(self, message: Loaded) -> None:
        """Show what arrived."""
        if message.what == "markers":
            self._marks.done()
            found = cast("tuple[tuple[str, Marker], ...]", message.value or ())
            self._markers = tuple(marker for _, marker in found)
            self._show_markers()
            return
        self._files.done()
        self._failure = message.failure
        text = cast("str | None", message.value)
        self._text = None if text is None else literal_block(text)
        await self._show_file()

    async def _show_file(self) -> None:
        is_rendered = self._is_rendered()
        self.query_one("#file", Pane).display = not is_rendered
        self.query_one("#document", Document).display = is_rendered
        if is_rendered:
            title = Content(f"2 File {self.desk.glyphs.dot} {literal(self._loaded_path)}")
            await self.query_one("#document", Document).show(self._text or "", title)
        else:
            self._show_plain()
            if self._wanted_line and self.query_one("#file", Pane).select(self._wanted_line):
                self._wanted_line = ""
                self.action_panel(2)

    def _is_rendered(self) -> bool:
        """Markdown of a size that renders while nobody waits for it."""
        return (
            not self._plain
            and self._text is not None
            and self._loaded_path.lower().endswith(".md")
            and len(self._text.encode()) <= RENDERED_UP_TO
        )

    def _show_plain(self) -> None:
        pane = self.query_one("#file", Pane)
        if self._failure or (self._loaded_path and self._text is None):
            pane.show(Listing("File", number=2, empty=(self._failure or "reading",)))
        else:
            pane.show(plain_listing(self._text, self._loaded_path, self.context(), pane.room[0]))

    @on(Pane.Resized)
    def wrap_again(self) -> None:
        """Wrap for the new width."""
        self._show_plain()
        self.show_snapshot()

    # ---- keys ----------------------------------------------------------------------------

    def action_panel(self, number: int) -> None:
        """Go to a panel; the second one is the file, plain or rendered."""
        if number == 2 and self.query_one("#document").display:
            self.set_focus(self.query_one("#document"))
            self.show_keys()
        else:
            super().action_panel(number)

    async def action_plain(self) -> None:
        """Show the file as it is written, or rendered."""
        self._plain = not self._plain
        await self._show_file()
        self.action_panel(2)

    def action_open(self) -> None:
        """Go from a file or a marked line to its text."""
        pane, row = self.pane, None if self.pane is None else self.pane.row
        if pane is None or row is None:
            return
        if pane.id == "markers":
            path, line = row.key.rsplit(":", 2)[:2]
            self._plain = True
            self.query_one("#files", Pane).select(f"file:{path}")
            self._load(path)
            self._wanted_line = f"{line}:0"
        else:
            self.action_panel(2)

    def targets(self, subject: Subject) -> tuple[Target, ...]:
        """Return the agent whose memory this is."""
        snapshot = self.desk.snapshot
        return () if snapshot is None else for_agents(snapshot, (self._agent_id,), subject)
