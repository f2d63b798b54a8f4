"""What the palette offers: every key and action of the screen, every command, and the themes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.actions import parse

from memconsole.domain.commands.catalogue import CATALOGUE
from memconsole.ui.drawing.themes import THEMES
from memconsole.ui.keys import key_name
from memconsole.ui.screens.palette.screen import Entry

if TYPE_CHECKING:
    from memconsole.ui.screens.base import ConsoleScreen

_MOVES = frozenset(
    {
        "up",
        "down",
        "page-up",
        "page-down",
        "first",
        "last",
        "palette",
        "interrupt",
        "back",
        "suspend",
    }
)
"""Keys that nobody looks for by name."""

_COMMANDS = frozenset(spec.name for spec in CATALOGUE)


def entries(screen: ConsoleScreen) -> tuple[Entry, ...]:
    """Return what keys stand for on this screen, commands without a key, then the themes."""
    found: dict[str, Entry] = {}
    for active in screen.active_bindings.values():
        binding = active.binding
        if not binding.id or binding.id in _MOVES or binding.id in found:
            continue
        _, name, parameters = parse(binding.action)
        found[binding.id] = Entry(
            name=binding.id if binding.id in _COMMANDS else binding.description,
            key=key_name(binding.key),
            help=binding.tooltip,
            action=binding.action,
            refusal=screen.why_not(name, parameters) or "",
            writes=binding.id in _COMMANDS,
        )
    for verb in screen.actions():
        _, name, parameters = parse(verb.action)
        found[verb.name] = Entry(
            name=verb.name if verb.name in _COMMANDS else verb.title,
            key=verb.keys,
            help=verb.help,
            action=verb.action,
            refusal=screen.why_not(name, parameters) or "",
            writes=verb.name in _COMMANDS,
        )
    for spec in CATALOGUE:
        if spec.name not in found:
            found[spec.name] = Entry(
                name=spec.name,
                key="",
                help=spec.help,
                action=f"command({spec.name!r})",
                refusal=screen.why_not("command", (spec.name,)) or "",
                writes=True,
            )
    for theme in THEMES:
        found[f"theme-{theme.name}"] = Entry(
            f"theme {theme.name}", "", "Change the colours", f"app.theme({theme.name!r})"
        )
    return tuple(found.values())
