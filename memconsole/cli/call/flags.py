"""The global options of one call, as they were given."""

from __future__ import annotations

from dataclasses import field

from memconsole.lazy_dataclass import dataclass


@dataclass(slots=True)
class Flags:
    """Global options as given; None means "not given".

    Attributes:
        config: `--config`, our own configuration file.
        values: Configuration keys with the text that an option gave them.
        is_json: `--json`, before or after the command.
        is_demo: `--demo`.
        is_fleet: `--fleet`.
        hosts: Names that `--host` gave.
        labels: Labels of hosts that `--label` gave.
        words: Everything behind the name of the program.
    """

    config: str | None = None
    values: dict[str, str] = field(default_factory=dict)
    is_json: bool = False
    is_demo: bool = False
    is_fleet: bool = False
    hosts: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def names_fleet(self) -> bool:
        """Whether an option asks for homes beside the one of this call."""
        return self.is_fleet or bool(self.hosts or self.labels)
