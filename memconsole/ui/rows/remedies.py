"""What to do where sessions do not get all that they should be given (mission §8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memconsole.domain.bootstrap import ACTIVE_NAME, INDEX_NAME, OBSERVATIONS_NAME
from memconsole.domain.hooks import HookState
from memconsole.ui import cells, figures
from memconsole.ui.listing import Listing, text_row
from memconsole.ui.literal import literal
from memconsole.ui.rows.bootstrap import HOOK, STARTUP
from memconsole.ui.spans import Role, Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.ui.rows.bootstrap import Scene
    from memconsole.ui.rows.context import Context

_REMEDIES: Final = {
    INDEX_NAME: "lower `index_md.max_tokens`",
    ACTIVE_NAME: "c makes a new one",
    OBSERVATIONS_NAME: "F folds and archives them",
}


def remedies_listing(scene: Scene, context: Context, width: int) -> Listing:
    """Return what is wrong with the starts, each with what to do about it."""
    rows = []
    found = (*_platform(scene), *_given(scene, context))
    for number, (text, role) in enumerate(found):
        for place, piece in enumerate(cells.wrap(text, max(width, 8))):
            rows.append(text_row(f"do-{number}-{place}", Span(piece, role), value=text))
    return Listing(
        title="What to do",
        number=4,
        rows=tuple(rows),
        empty=("nothing yet" if scene.starts is None else "nothing: sessions get all of it",),
    )


def _platform(scene: Scene) -> Iterator[tuple[str, Role]]:
    for one in scene.limits:
        if one.is_over:
            lost, all_ = figures.kilo(one.chars - one.limit), figures.kilo(one.chars)
            yield (
                f"{literal(one.path)} loses {lost} of {all_} characters: move what is seldom "
                "needed into memory/, where search finds it",
                Role.DUE,
            )
    if scene.chars_over:
        yield (
            f"{figures.kilo(scene.chars_over)} characters do not fit; what the hook gives comes "
            "last: shorten the platform's files, or lower `bootstrap.total_chars`",
            Role.DUE,
        )


def _given(scene: Scene, context: Context) -> Iterator[tuple[str, Role]]:
    most = scene.most
    for given in () if most is None else most.files:
        if given.whole_chars is not None:
            remedy = _REMEDIES.get(given.name, "make it shorter")
            yield f"{given.name} is cut: {remedy}, or raise `bootstrap.max_chars`", Role.DUE
    if old := scene.old_context(context):
        yield f"ACTIVE_CONTEXT.md is {old} old: c takes a checkpoint", Role.WARNING
    hook = scene.hook
    if scene.starts is None:
        return
    if hook is None or hook.state is HookState.MISSING:
        yield (
            f"the hook {HOOK} is not installed: `memconsole hooks install` puts it there; until "
            f"then an agent has to read what stands under `{STARTUP}`",
            Role.WARNING,
        )
    elif not scene.is_hooked or hook.state is HookState.OUTDATED:
        said = literal(". ".join(part for part in (hook.message, hook.hint) if part))
        yield f"{hook.name}: {said}", Role.WARNING
