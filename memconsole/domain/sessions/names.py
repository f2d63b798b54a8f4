"""How sessions are called wherever they are shown: one name each, no two of an agent alike.

A name is its label, else the words of its key that tell something, else its id. Where two names
are equal, or would look equal when they are shortened, each says more: its channel, its peer, the
end of its id. A list, a finding, a dialog and the journal show the same name.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from memconsole.domain.sessions.stored import SessionState
from memconsole.text.graphemes import cut_middle
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memconsole.domain.sessions.stored import StoredSession

LEAST_CELLS = 22
"""No list shows a name in fewer while anything but its tokens stands beside it."""

SEPARATOR = " · "

_SILENT_WORDS = frozenset({"direct", "dm", "group", "channel", "account"})
"""Words of a key that say what a column or the name says already."""

_NO_CHANNELS = frozenset({"dashboard", "explicit", "main"})
"""First words of a key that add nothing to a label."""

_HEARTBEAT = "heartbeat"
"""The last word of a session in which the platform talks to the agent; no label hides it."""

_TAIL_CHARS = 4


def names_of(sessions: Sequence[StoredSession]) -> list[str]:
    """Return the names of the sessions of one agent, in their order."""
    names = [_plain_name(one) for one in sessions]
    looks = Counter(map(_look, names))
    if len(looks) == len(names):
        return names
    doubled: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        if looks[_look(name)] > 1:
            doubled.setdefault(_look(name), []).append(place)
    taken = {look for look, count in looks.items() if count == 1}
    for places in doubled.values():
        _tell_apart(sessions, names, places, taken)
    return names


def _tell_apart(
    sessions: Sequence[StoredSession], names: list[str], places: list[int], taken: set[str]
) -> None:
    """Add to names that look alike; what lives alone keeps its own beside what has ended."""
    living = [place for place in places if sessions[place].state is SessionState.LIVE]
    if len(living) == 1:
        taken.add(_look(names[living[0]]))
        places = [place for place in places if place != living[0]]
    for more in (_channel, _peer, _tail, _id):
        told = {place: _with(names[place], more(sessions[place])) for place in places}
        looks = Counter(map(_look, told.values()))
        apart = [
            place
            for place, name in told.items()
            if looks[_look(name)] == 1 and _look(name) not in taken
        ]
        for place in apart:
            names[place] = told[place]
            taken.add(_look(told[place]))
        places = [place for place in places if place not in set(apart)]
    for number, place in enumerate(places, 2):
        names[place] = f"{names[place]} #{number}"


def _with(name: str, more: str) -> str:
    return f"{name}{SEPARATOR}{more}" if more and more not in name else name


def _look(name: str) -> str:
    """Return a name as the narrowest list shows it."""
    return name if len(name) <= LEAST_CELLS else cut_middle(name, LEAST_CELLS)


def _plain_name(session: StoredSession) -> str:
    key = session.key
    if key is None:
        return one_line(session.label or "") or session.session_id or "?"
    return _named(key.short, key.text, session.label or "")


@lru_cache(maxsize=16_384)  # the same names come with every reading
def _named(short: str, text: str, label: str) -> str:
    words = _words(short)
    label = one_line(label)
    if label:
        has_channel = len(words) > 1 and words[0] not in _NO_CHANNELS
        beat = [words[-1]] * (words[-1].lower() == _HEARTBEAT) if words else []
        words = [*([words[0]] if has_channel else []), label, *beat]
    return SEPARATOR.join(map(one_line, words)) or one_line(text) or "?"


def _words(short: str) -> list[str]:
    return [word for word in short.split(":") if word and word not in _SILENT_WORDS]


def _word_of(place: int) -> Callable[[StoredSession], str]:
    def word(session: StoredSession) -> str:
        words = [] if session.key is None else _words(session.key.short)
        return one_line(words[place]) if words else ""

    return word


_channel, _peer = _word_of(0), _word_of(-1)


def _tail(session: StoredSession) -> str:
    return (session.session_id or "")[-_TAIL_CHARS:]


def _id(session: StoredSession) -> str:
    return session.session_id or ""
