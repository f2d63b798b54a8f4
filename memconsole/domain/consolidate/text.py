"""Renders DREAMS.md: what consolidation would do to one memory, between two marks of ours.

The file belongs to people and to the platform, which writes its own diary there. What stands
outside of the marks is never touched; marks that somebody damaged are not guessed at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import plural, short_kilo
from memconsole.text.markdown import line_ending, quote_line, unquoted
from memconsole.text.outgoing import let_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.consolidate.decay import Decayed
    from memconsole.domain.consolidate.promotion import Proposal


DREAMS: Final = "DREAMS.md"

BEGIN: Final = "<!-- memconsole:consolidation begin -->"
END: Final = "<!-- memconsole:consolidation end -->"

MOST_ROWS: Final = 50
"""Rows of each table; the rest is counted."""


def with_block(text: str | None, block: str) -> str | None:
    r"""Return the file with the block in its place; None when the marks are damaged.

    Args:
        text: The file; None when there is none.
        block: From the first mark to the last, lines ending in `\n`.
    """
    if text is None or not text.strip("\ufeff \t\r\n"):
        return f"{text or ''}{block}"
    ending = line_ending(text)
    made = block.replace("\n", ending)
    if BEGIN not in text and END not in text:
        gap = "" if text.endswith(("\n", "\r")) else ending
        return f"{text}{gap}{ending}{made}"
    parts = parts_of(text)
    return None if parts is None else f"{parts[0]}{made.rstrip()}{parts[2]}"


def parts_of(text: str) -> tuple[str, str, str] | None:
    """Return what stands before the block, the block with its marks, and what stands behind it.

    None when there is no block, or its marks are damaged.
    """
    start, end = text.find(BEGIN), text.find(END) + len(END)
    if text.count(BEGIN) != 1 or text.count(END) != 1 or end < start:
        return None
    return text[:start], text[start:end], text[end:]


def block_of(preview: ConsolidationPreview, stamp: str) -> str:
    """Return the report: what would go, what could come, and how to say so.

    Args:
        preview: What was found.
        stamp: When, such as `2026-01-26 03:00`.
    """
    return "\n".join((BEGIN, *_lines(preview, stamp), END)) + "\n"


def _lines(preview: ConsolidationPreview, stamp: str) -> Iterator[str]:
    agent = quote_line(preview.agent.id)
    yield f"## Consolidation preview — {stamp}"
    yield ""
    yield (
        f"Observations of {agent}: {short_kilo(preview.tokens_before)} tokens, "
        f"{short_kilo(preview.tokens_after)} of {short_kilo(preview.token_target)} after archiving "
        f"{plural(len(preview.archived), 'line')}. Nothing was changed."
    )
    yield from (f"- {quote_line(note)}" for note in preview.notes)
    if preview.archived:
        yield from _section(
            "Would be archived",
            f"memconsole consolidate --agent {agent} --apply",
            ("Id", "Score", "Days", "Line"),
            ((it.id, f"{it.score:.1f}", _count(it.age_days), it.text) for it in preview.archived),
            len(preview.archived),
        )
    if preview.proposals:
        yield from _section(
            "Could go into MEMORY.md",
            f"memconsole memory promote ID --agent {agent}, or memory decline",
            ("Id", "Score", "Found", "Questions", "Days", "Where", "Note"),
            (
                (
                    one.id,
                    f"{one.score:.2f}",
                    str(one.hits),
                    str(one.queries),
                    str(one.days),
                    f"{one.path}:{one.line}",
                    one.text.removeprefix("- "),
                )
                for one in preview.proposals
            ),
            len(preview.proposals),
        )


def _section(
    title: str, how: str, heads: Sequence[str], rows: Iterable[Sequence[str]], total: int
) -> Iterator[str]:
    yield ""
    yield f"### {title}"
    yield ""
    yield how
    yield ""
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for number, row in enumerate(rows):
        if number == MOST_ROWS:
            yield f"| … {total - MOST_ROWS} more |{' |' * (len(heads) - 1)}"
            return
        yield f"| {' | '.join(quote_line(let_out(unquoted(cell))) for cell in row)} |"


def _count(value: int | None) -> str:
    return "?" if value is None else str(value)


@dataclass(frozen=True, slots=True)
class ConsolidationPreview:
    """A look at one memory; nothing was changed for it.

    Attributes:
        shown: Digest of the observations as they were looked at: `Consolidate` takes it back, so
            that it archives what was shown or nothing.
        archived: Observations that have decayed, in the order of the file.
        high: Lines with 🔴 that go only when the operator says so.
        hook: The line that would stay behind; empty when there is none.
        tokens_before: Of `observations.md` as it is.
        tokens_after: As it would be.
        token_target: What it should come down to.
        proposals: Daily notes that could go into MEMORY.md, the best first.
        notes: Sentences about what keeps consolidation from doing more.
    """

    agent: AgentRef
    shown: str
    archived: tuple[Decayed, ...]
    high: tuple[Decayed, ...]
    hook: str
    tokens_before: int
    tokens_after: int
    token_target: int
    proposals: tuple[Proposal, ...]
    notes: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to archive and nothing to propose."""
        return not (self.archived or self.high or self.proposals)
