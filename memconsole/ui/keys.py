"""Keys that every screen has, how they are called on screen, and why a command cannot work now.

One letter means the same on every screen: what one screen alone can do is a verb, behind `a`. The
same sentence dims a key and answers its press.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding

from memconsole.domain.commands.catalogue import CATALOGUE
from memconsole.domain.commands.checkpoint import CHECKPOINT
from memconsole.domain.commands.rotate import ROTATE
from memconsole.lazy_dataclass import dataclass
from memconsole.text.cells import cut_middle
from memconsole.text.cells import width as cell_width
from memconsole.ui.drawing.spans import Role, Span, line_width

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from textual.binding import ActiveBinding

    from memconsole.domain.commands.command import CommandSpec
    from memconsole.domain.settings import Settings
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.ui.drawing.spans import Line


MOST_SHOWN = 8
"""Keys in the bottom line; `?` has all of them."""

_SHOWN_COMMANDS = (CHECKPOINT.name, ROTATE.name)

_AIM_CELLS = 12
"""How much of a target's name stands behind its key at least; other keys give way to it."""

_NAMES = {
    "question_mark": "?",
    "exclamation_mark": "!",
    "colon": ":",
    "slash": "/",
    "comma": ",",
    "full_stop": ".",
    "plus": "+",
    "minus": "-",
    "escape": "esc",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "up": "up",
    "down": "down",
    "ctrl+p": "^p",
    "ctrl+c": "^c",
    "ctrl+z": "^z",
    "ctrl+r": "^r",
    "equals_sign": "=",
    "shift+tab": "S-tab",
}


def key_name(key: str) -> str:
    """Return a key as people read it."""
    return _NAMES.get(key, key)


def bind(
    keys: str, action: str, title: str, tooltip: str, *, name: str, show: bool = False
) -> Binding:
    """Make a binding with everything that help and footer need."""
    return Binding(keys, action, title, show=show, id=name, tooltip=tooltip)


def command_bindings() -> list[Binding]:
    """Return a binding for each command that has a key; two stand in the bottom line."""
    return [
        Binding(
            spec.key,
            f"command({spec.name!r})",
            spec.name,
            show=spec.name in _SHOWN_COMMANDS,
            id=spec.name,
            tooltip=spec.help,
        )
        for spec in CATALOGUE
        if spec.key
    ]


@dataclass(frozen=True, slots=True)
class Verb:
    """What one screen alone can do; `a` lists these, and the letter behind it runs one.

    Attributes:
        key: Its letter, behind `a`; never one that moves or answers in a dialog.
        action: Action of the screen.
        title: A word or two.
        help: What it does, without a full stop.
        name: Tells it from the others in palette and help.
        panels: Panes that have it; empty for all of them.
    """

    key: str
    action: str
    title: str
    help: str
    name: str
    panels: tuple[str, ...] = ()

    @property
    def keys(self) -> str:
        """What is typed for it."""
        return f"a {self.key}"


def command_verb(key: str, spec: CommandSpec, title: str) -> Verb:
    """Return the verb of a command that one screen alone offers."""
    return Verb(key, f"command({spec.name!r})", title, spec.help, spec.name)


WHAT_IF = Verb(
    "i", "what_if", "what if", "What rotation would have done in the last 7 days", "what-if"
)


def panel_keys(names: Iterable[str]) -> list[Binding]:
    """Return the numbers that lead to the panels of a screen."""
    return [
        bind(str(number), f"panel({number})", name, f"goes to {name}", name=f"panel-{number}")
        for number, name in enumerate(names, 1)
    ]


COMMON = [
    bind("slash", "filter", "search", "finds text in this panel", name="search", show=True),
    bind("enter", "open", "open", "opens what the cursor is on", name="open", show=True),
    bind(
        "colon,ctrl+p",
        "app.palette",
        "commands",
        "takes any command, as a shell does",
        name="palette",
        show=True,
    ),
    bind("question_mark", "app.help", "help", "lists keys and signs", name="help", show=True),
    bind(
        "a", "actions", "actions", "lists what only this screen can do", name="actions", show=True
    ),
    bind("space", "mark", "mark", "marks this line for the keys", name="mark", show=True),
    bind("s", "sort", "sort", "orders this panel in another way", name="sort"),
    bind("escape", "back", "back", "goes one step back; never quits", name="back"),
    bind("n", "find(1)", "next", "goes to the next match", name="next"),
    bind("N", "find(-1)", "previous", "goes to the match before", name="previous"),
    bind("z", "maximise", "maximise", "shows this panel alone, and back", name="maximise"),
    bind("y", "copy", "copy", "copies the value of this line", name="copy"),
    bind("e", "export", "export", "writes this panel into a file", name="export"),
    bind("u", "app.undo", "undo", "takes back the last action", name="undo"),
    bind("tab", "panel_step(1)", "next panel", "goes to the next panel", name="next-panel"),
    bind(
        "shift+tab",
        "panel_step(-1)",
        "previous panel",
        "goes to the panel before",
        name="previous-panel",
    ),
    bind("f", "app.freeze", "freeze", "stops and starts refreshing", name="freeze"),
    bind("r", "app.refresh", "refresh", "looks at everything now", name="refresh"),
    bind("plus,equals_sign", "app.interval(1)", "slower", "refreshes less often", name="slower"),
    bind("minus", "app.interval(-1)", "faster", "refreshes more often", name="faster"),
    bind(
        "full_stop", "app.finding", "to the finding", "goes to what wants attention", name="finding"
    ),
    bind(
        "exclamation_mark",
        "app.findings",
        "findings",
        "lists all that wants attention",
        name="findings",
    ),
    bind("0", "fleet", "fleet", "shows the whole fleet again", name="fleet"),
    bind("l", "app.log", "log", "shows what memconsole logged", name="log"),
    bind("w", "observations", "observations", "shows what was noted", name="observations"),
    bind(
        "d",
        "checkpoints",
        "checkpoints",
        "shows what was saved",
        name="checkpoints",
    ),
    bind("m", "memory", "memory", "opens the memory of the agent", name="memory"),
    bind("t", "bootstrap", "bootstrap", "shows what sessions are given", name="bootstrap"),
    bind(
        "o",
        "consolidation",
        "consolidation",
        "shows what decays, what stays",
        name="consolidation",
    ),
    bind("v", "app.jobs", "jobs", "shows the scheduler's jobs", name="jobs"),
    bind("h", "app.health", "health", "shows health and configuration", name="health"),
    bind("S", "host", "scheduler", "runs the jobs in this console", name="host"),
    bind("q", "app.quit", "quit", "leaves the console", name="quit"),
]


_EVERYWHERE = frozenset((*_SHOWN_COMMANDS, *(binding.id for binding in COMMON)))


def _is_help(one: ActiveBinding) -> bool:
    return one.binding.id == "help"


def key_line(
    bindings: Iterable[ActiveBinding], width: int, aims: Mapping[str, str] | None = None
) -> Line:
    """Return the bottom line: so many keys at most, those that cannot work now dimmed.

    Args:
        bindings: Active bindings of the screen.
        width: Cells; targets are shortened first, then keys are left out, help last.
        aims: What each command acts on now, by its name.
    """
    first: dict[str | None, ActiveBinding] = {}
    for one in bindings:
        if one.binding.show:
            first.setdefault(one.binding.id, one)
    # What only this screen has comes first. Help stands last and stays when the others give way:
    # it is how one learns of them.
    shown = sorted(first.values(), key=lambda one: (one.binding.id in _EVERYWHERE, _is_help(one)))
    if len(shown) > MOST_SHOWN:
        shown = [*shown[: MOST_SHOWN - 1], shown[-1]]
    while True:
        named = {one.binding.id or "": (aims or {}).get(one.binding.id or "", "") for one in shown}
        cells = sorted(cell_width(f" {name}") for name in named.values() if name)
        each = _share(width - line_width(_key_spans(shown, {}, 0)), cells) - 1
        if each >= min(_AIM_CELLS, max(cells, default=0) - 1) or len(shown) < 2:
            return _key_spans(shown, named, max(each, 1))
        del shown[-2]


def _share(room: int, wanted: Sequence[int]) -> int:
    """Return the most cells that each may have; what short ones leave goes to the others."""
    for place, cells in enumerate(wanted):
        each = room // (len(wanted) - place)
        if cells > each:
            return each
        room -= cells
    return max(wanted, default=room)


def _key_spans(shown: Iterable[ActiveBinding], aims: Mapping[str, str], most: int) -> Line:
    """Return the keys, each command with what it acts on in at most so many cells."""
    spans, listed = [Span(" ")], list(shown)
    for one in listed:
        name = one.binding.key_display or key_name(one.binding.key)
        key = one.binding.key
        spans.append(Span(f"{name} ", Role.ACCENT if one.enabled else Role.MUTED, key=key))
        aim = aims.get(one.binding.id or "", "")
        if cell_width(aim) > most:
            aim = cut_middle(_without_home(aim), most)
        text = f"{one.binding.description} {aim}" if aim else one.binding.description
        gap = "" if one is listed[-1] else "  "
        spans.append(Span(f"{text}{gap}", Role.PLAIN if one.enabled else Role.MUTED, key=key))
    return tuple(spans)


def _without_home(aim: str) -> str:
    """Return the name of an agent of several homes as its home knows it; the title says which."""
    home, _, name = aim.partition("/")
    return name if name and not home.endswith(" ") else aim


ONLY_GATEWAY = "only the Gateway can do it"


def refusal(spec: CommandSpec, settings: Settings, snapshot: ConsoleSnapshot | None) -> str | None:
    """Return the reason, or None when the command can be tried.

    A Gateway that is late may be tried: nothing is known against it, and an action waits longer.
    """
    if settings.ui.read_only:
        return is_read_only(spec.name)
    if snapshot is None:
        return f"{spec.name}: nothing has been read yet"
    if not snapshot.agents:
        return f"{spec.name}: this home has no agents yet"
    if spec.needs_gateway and snapshot.gateway.verdict not in ("up", "late"):
        return f"{spec.name}: {ONLY_GATEWAY}, and it {_gateway_word(snapshot)}"
    return None


def is_read_only(name: str) -> str:
    """Return why nothing that writes can be done."""
    return f"{name}: memconsole runs read-only; start it without --read-only to act"


def _gateway_word(snapshot: ConsoleSnapshot) -> str:
    gateway = snapshot.gateway
    return "is not connected (its plan still works)" if gateway.verdict == "off" else gateway.does
