"""Sessions that are as they were keep their objects from reading to reading."""

from __future__ import annotations

import copy
from dataclasses import replace

from memconsole.domain.snapshot.known import with_known_sessions
from tests.ui import sample


def test_what_is_as_it_was_is_the_same_object_and_what_is_not_is_new() -> None:
    old = sample.usual()
    again = replace(old, sessions=tuple(map(copy.copy, old.sessions)))
    assert all(one is not was for one, was in zip(again.sessions, old.sessions, strict=True))
    assert with_known_sessions(again, old).sessions is old.sessions
    assert with_known_sessions(again, None) is again

    first, *others = again.sessions
    changed = replace(first, is_due=not first.is_due)
    kept = with_known_sessions(replace(again, sessions=(changed, *others)), old).sessions
    assert kept[0] is changed
    assert all(one is was for one, was in zip(kept[1:], old.sessions[1:], strict=True))

    fewer = with_known_sessions(replace(again, sessions=again.sessions[1:]), old).sessions
    assert fewer == old.sessions[1:]
    turned = with_known_sessions(replace(again, sessions=again.sessions[::-1]), old).sessions
    assert turned == old.sessions[::-1]


def test_a_reading_of_several_homes_stays_as_it_is() -> None:
    old = sample.usual()
    several = replace(old, sessions=tuple(map(copy.copy, old.sessions)), parts={"alpha": old})
    assert with_known_sessions(several, old) is several
