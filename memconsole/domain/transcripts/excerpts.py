"""What a checkpoint takes out of messages: words, open items, files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.planted import holds_planted, quoted
from memconsole.domain.transcripts.messages import CAPTURE_CHARS, captured_text, let_out_of
from memconsole.lazy_dataclass import dataclass
from memconsole.text.compiled import compiled
from memconsole.text.graphemes import cut
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime

    from memconsole.domain.transcripts.records import Message

MAX_ITEMS = 10
MAX_FILES = 20
ITEM_CHARS = 200
FILE_CHARS = 200

_LOOKED_AT = 200_000
"""Characters of one message that are searched for items and files."""

_BOX = r"[\s>]*(?:[-*+]|\d{1,9}[.)])\s+\[(?P<tick>[ xX])\]\s+(?P<text>\S.*)"
_TODO = r"\[TODO\]:?"
_BULLET = r"[\s>]*(?:[-*+]|\d{1,9}[.)])\s+"

_TOKEN = r"[^\s\"'`´‘’“”„«»<>()\[\]{}|,;*…!?=#]+"
_FILE = r"(?:~|\.{1,2}|/)?[\w.@+~%-]*(?:/[\w.@+~%-]+)+\.[A-Za-z0-9]{1,10}"
_LINE_NUMBER = r"(?::\d{1,7}){1,2}-?\d{0,7}$"
_HOST = (
    r"(?:www\.|[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|ai|app|co|de|uk|eu|fr|jp|cn|ru|edu|gov"
    r"|me|info)(?::\d+)?/)"
)


@dataclass(frozen=True, slots=True)
class Spoken:
    """One message as memory files may hold it.

    Attributes:
        role: `user` or `assistant`.
        text: One line, secrets masked, at most 1,000 characters; not yet quoted.
    """

    role: str
    at: datetime | None
    text: str


@dataclass(frozen=True, slots=True)
class SessionExcerpt:
    """The end of a session, ready for rendering.

    Attributes:
        spoken: Oldest first.
        open_items: Unticked boxes and TODO lines, in order, the newest ten; not yet quoted.
        files: Paths that were named, in order of appearance.
        masked: How many of the messages held a secret.
        planted: How many held planted instructions; those are marked.
    """

    spoken: tuple[Spoken, ...]
    open_items: tuple[str, ...]
    files: tuple[str, ...]
    masked: int = 0
    planted: int = 0


def take(messages: Iterable[Message], mask: Callable[[str], str]) -> SessionExcerpt:
    """Mask every message whole, then take out what memory files hold.

    Args:
        messages: Eligible messages, oldest first.
        mask: Replaces secrets.
    """
    given = tuple(messages)
    masked = [let_out_of(message, mask) for message in given]
    hidden = sum(one != other for one, other in zip(given, masked, strict=True))
    spoken = tuple(spoken_of(message) for message in masked)
    texts = [message.text[:_LOOKED_AT] for message in masked]
    planted = sum(holds_planted(message.text) for message in masked)
    return SessionExcerpt(spoken, open_items(texts), files(texts), hidden, planted)


def spoken_of(message: Message, cap: int = CAPTURE_CHARS) -> Spoken:
    """Return a masked message as memory may hold it; planted instructions bear their mark."""
    text = captured_text(message, _as_it_is, cap)
    is_marked = holds_planted(message.text)
    return Spoken(message.role or "", message.at, quoted(text) if is_marked else text)


def open_items(texts: Iterable[str]) -> tuple[str, ...]:
    """Return unticked `- [ ]` lines and `[TODO]` lines, each once, without those ticked later.

    Of a message with planted instructions none is taken: they would be loaded as work to be done.
    """
    found: dict[str, str] = {}
    for is_open, text in _items(text for text in texts if not holds_planted(text)):
        shown = cut(one_line(text), ITEM_CHARS)
        found.pop(shown.casefold(), None)
        if is_open and shown:
            found[shown.casefold()] = shown
    return tuple(found.values())[-MAX_ITEMS:]


def ticked_items(texts: Iterable[str]) -> tuple[str, ...]:
    """Return ticked `- [x]` lines, each once, the newest ten."""
    found: dict[str, str] = {}
    for is_open, text in _items(texts):
        if not is_open and (shown := cut(one_line(text), ITEM_CHARS)):
            found[shown.casefold()] = shown
    return tuple(found.values())[-MAX_ITEMS:]


def files(texts: Iterable[str]) -> tuple[str, ...]:
    """Return path-like words: a folder part, an extension of 1 to 10 characters, no address.

    In order of appearance, at most twenty.
    """
    found: dict[str, None] = {}
    words = (word for text in texts for word in text.split() if "/" in word)
    for word in words:
        if "://" in word:
            continue
        for token in compiled(_TOKEN).finditer(word):
            if (path := _path(token[0])) is not None:
                found.setdefault(path)
    return tuple(found)[:MAX_FILES]


def _as_it_is(text: str) -> str:
    return text


def _items(texts: Iterable[str]) -> Iterator[tuple[bool, str]]:
    """Yield (is open, text) of every box and TODO line, in order."""
    for text in texts:
        for line in text.splitlines():
            if (box := compiled(_BOX).match(line)) is not None:
                yield box["tick"] == " ", box["text"]
            elif (tag := compiled(_TODO).search(line)) is not None:
                before = compiled(_BULLET).sub("", line[: tag.start()], count=1)
                yield True, line[tag.end() :].strip() or before


def _path(word: str) -> str | None:
    if len(word) > FILE_CHARS:
        return None
    path = compiled(_LINE_NUMBER).sub("", word.rstrip(".:")).rpartition(":")[2]
    is_file = len(path) > 5 and compiled(_FILE).fullmatch(path) is not None
    extension = path.rpartition(".")[2]
    if not is_file or extension.isdigit() or "node_modules" in path or compiled(_HOST).match(path):
        return None
    return path
