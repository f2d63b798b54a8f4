"""The themes: the only place of the console that names a colour.

How each role looks, from the stylesheet: asked of the console, once for all that it shows.

Textual works out component classes for every widget and screen that has some, whenever its classes
or focus change; a score of roles on each of ten widgets made every key slow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.theme import Theme

from memconsole.ui.drawing.spans import FILLED, Role

if TYPE_CHECKING:
    from rich.style import Style
    from textual.dom import DOMNode

    from memconsole.ui.drawing.spans import Span


CALM = "calm"
LIGHT = "light"
CONTRAST = "contrast"
ANSI = "ansi"
MONO = "mono"

DEFAULTS = {
    "muted": "#858d97",
    "frame": "#434d58",
    "track": "#262c33",
    "cursor": "#26323c",
    "strong": "#eef1f4",
    "found": "#4b4426",
    "ok-fill": "#2f4a39",
    "warning-fill": "#57431f",
    "due-fill": "#5e2f2d",
    "fill-style": "none",
    "muted-style": "none",
    "found-style": "none",
    "badge-style": "bold",
    "cursor-style": "none",
}
"""Our own variables, for themes that do not know them."""

_BY_STYLE_ALONE = {
    "muted": "ansi_default",
    "frame": "ansi_default",
    "track": "ansi_default",
    "cursor": "ansi_default",
    "strong": "ansi_default",
    "found": "ansi_default",
    "ok-fill": "ansi_default",
    "warning-fill": "ansi_default",
    "due-fill": "ansi_default",
    "fill-style": "underline",
    "muted-style": "dim",
    "found-style": "underline",
    "badge-style": "reverse",
    "cursor-style": "reverse",
    "block-cursor-text-style": "reverse",
    "block-cursor-blurred-text-style": "none",
    "input-cursor-text-style": "reverse",
    "ansi-background": "ansi_black",
    "ansi-foreground": "ansi_white",
}
"""For terminals whose colours are not ours to choose: bold, dim and reverse carry the state."""

THEMES = (
    Theme(
        name=CALM,
        dark=True,
        primary="#7aa7c7",
        secondary="#7aa7c7",
        accent="#7aa7c7",
        foreground="#c8cdd3",
        background="#14171b",
        surface="#191d22",
        panel="#22272e",
        success="#7fa98b",
        warning="#d3a45f",
        error="#e07a74",
        variables={
            "muted": "#858d97",
            "frame": "#434d58",
            "track": "#262c33",
            "cursor": "#26323c",
            "strong": "#eef1f4",
            "found": "#4b4426",
            "ok-fill": "#2f4a39",
            "warning-fill": "#57431f",
            "due-fill": "#5e2f2d",
        },
    ),
    Theme(
        name=LIGHT,
        dark=False,
        primary="#1f5f8b",
        secondary="#1f5f8b",
        accent="#1f5f8b",
        foreground="#2a2e33",
        background="#f7f6f2",
        surface="#efeee9",
        panel="#e4e3dd",
        success="#3d7350",
        warning="#8f5d00",
        error="#b0302b",
        variables={
            "muted": "#646a72",
            "frame": "#c3c3bb",
            "track": "#dfded8",
            "cursor": "#d7e3ec",
            "strong": "#0b0d0f",
            "found": "#f3e3a4",
            "ok-fill": "#c9e0cf",
            "warning-fill": "#efd9a8",
            "due-fill": "#f0c4c0",
        },
    ),
    Theme(
        name=CONTRAST,
        dark=True,
        primary="#6fd3ff",
        secondary="#6fd3ff",
        accent="#6fd3ff",
        foreground="#ffffff",
        background="#000000",
        surface="#000000",
        panel="#1a1a1a",
        success="#5dff8f",
        warning="#ffd75f",
        error="#ff8080",
        variables={
            "muted": "#d0d0d0",
            "frame": "#8a8a8a",
            "track": "#333333",
            "cursor": "#004a7a",
            "strong": "#ffffff",
            "found": "#6b5a00",
            "ok-fill": "#00561f",
            "warning-fill": "#6b4a00",
            "due-fill": "#7a1f1f",
        },
    ),
    Theme(
        name=ANSI,
        ansi=True,
        dark=True,
        primary="ansi_cyan",
        secondary="ansi_cyan",
        accent="ansi_cyan",
        foreground="ansi_default",
        background="ansi_default",
        surface="ansi_default",
        panel="ansi_default",
        boost="ansi_default",
        success="ansi_green",
        warning="ansi_yellow",
        error="ansi_red",
        variables=_BY_STYLE_ALONE,
    ),
    Theme(
        name=MONO,
        ansi=True,
        dark=True,
        primary="ansi_default",
        secondary="ansi_default",
        accent="ansi_default",
        foreground="ansi_default",
        background="ansi_default",
        surface="ansi_default",
        panel="ansi_default",
        boost="ansi_default",
        success="ansi_default",
        warning="ansi_default",
        error="ansi_default",
        variables=_BY_STYLE_ALONE,
    ),
)


def theme_name(wanted: str, *, mono: bool, color_system: str | None) -> str:
    """Return the theme to start with.

    Args:
        wanted: From the settings; empty or unknown names fall back.
        mono: No colour at all.
        color_system: What the terminal can do, in Rich's words; `standard` has 16 colours, which
            a true-colour theme would be bent to.
    """
    if mono:
        return MONO
    if any(theme.name == wanted for theme in THEMES):
        return wanted
    return ANSI if color_system == "standard" else CALM


SPAN_STYLES = {f"span--{role.value}" for role in Role} | {"span--cursor"}
"""Component classes of the console."""


class SpanStyles:
    """Gives the look of a span, as the theme has it now."""

    def __init__(self, console: DOMNode) -> None:
        self._console = console
        self._known: dict[tuple[Role, bool], Style] = {}

    def of(self, span: Span) -> Style:
        """Return the style of a span."""
        key = (span.role, span.is_cursor)
        style = self._known.get(key)
        if style is None:
            named = self._console.get_component_styles
            style = named(f"span--{span.role.value}").rich_style
            # What was found, and how full a gauge is, stays seen under the cursor.
            if span.is_cursor and span.role not in FILLED:
                style += named("span--cursor").partial_rich_style
            self._known[key] = style
        return style

    def forget(self) -> None:
        """Forget the looks of the old theme."""
        self._known.clear()
