"""What the rows of commands name is there, and is given what it asks for."""

from __future__ import annotations

import re
from dataclasses import is_dataclass

from memconsole.domain.commands.catalogue import COMMANDS
from memconsole.engine.dispatch import MADE, named, uses_of
from memconsole.ports.bundle import Ports

OWN = {
    "home": "Home",
    "reader": "Reader",
    "settings": "Settings",
    "ports": "SearchNeeds",
    "step": "Callable[[Command], Outcome]",
    "steps": "StepLog",
    "finish": "Callable[[Sequence[Erasure], Agent], None]",
    "progress": "Callable[[int, int], None]",
    "cancel": "StopSignal",
}
"""What the dispatcher gives beside ports, with the type that it has."""


def test_every_command_is_done_by_a_function_that_asks_for_what_there_is() -> None:
    """The dispatcher gives by name, where no type checker looks."""
    ports = {name: bare(kind) for name, kind in Ports.__annotations__.items()}
    made = {name: place.rpartition(":")[2] for name, place in MADE.items()}
    known = {**ports, **OWN, **made}
    places = [*(spec.runner for spec in COMMANDS), *MADE.values(), "erasure:finish"]
    for place in places:
        function = named(place)
        is_plain = isinstance(function, type) and not is_dataclass(function)
        kinds = vars(function)["__init__"] if is_plain else function
        asked = {name: bare(kinds.__annotations__[name]) for name in uses_of(function)}
        assert asked == {name: known.get(name) for name in asked}, place
        assert asked or place in MADE.values(), place


def bare(annotation: str) -> str:
    """Return an annotation without the modules of its names, and without `| None`."""
    return re.sub(r"\b[a-z_]+\.", "", annotation).removesuffix(" | None")
