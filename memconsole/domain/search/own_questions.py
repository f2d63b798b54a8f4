"""Tells text that only asks from text that says something: a question is not its own answer.

Who asked the same before wrote the very words of the query down, so that the question itself would
lead everything that answers it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memconsole.text.compiled import compiled

if TYPE_CHECKING:
    from memconsole.domain.search.values import SearchHit

ASKING_SHARE: Final = 0.5
"""What its score is multiplied with: behind what answers, before what has nothing to do with it."""

_END: Final = r"[.!?。！？](?=[\s\"'”’»)*_`\]]|$)|\n|$|[。！？]"
_SPEAKER: Final = r"^\W*([^\W\d][\w -]{0,30}?)\W*:\W"


def only_asks(hit: SearchHit, text: str) -> bool:
    """Whether all matched words of a result stand in questions that its text does not answer.

    A question is answered when somebody else speaks behind it. A result without a matched word asks
    nothing of the kind.

    Args:
        hit: The result with its marks.
        text: The whole text of its chunk.
    """
    if not hit.marks or ("?" not in hit.snippet and "？" not in hit.snippet):
        return False
    ends = [compiled(_END).search(hit.snippet, end) for _, end in hit.marks]
    if not all(end is not None and end[0] in "?？" and end[0] for end in ends):
        return False
    last = hit.marks[-1][1]
    start = hit.snippet.rfind("\n", 0, last) + 1
    asked = hit.snippet[start:].split("\n", 1)[0]
    return not _is_answered(asked, text[text.find(asked) + len(asked) :])


def _is_answered(asked: str, behind: str) -> bool:
    following = next((line for line in behind.split("\n") if line.strip()), "")
    asker, other = _speaker(asked), _speaker(following)
    return other is not None and other != asker and not following.rstrip().endswith(("?", "？"))


def _speaker(line: str) -> str | None:
    found = compiled(_SPEAKER).match(line)
    return None if found is None else found[1].casefold()
