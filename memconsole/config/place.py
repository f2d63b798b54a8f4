"""Where a value was given, and how a refusal names that place."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memconsole.domain.settings.kinds import shown
from memconsole.errors import ConfigError
from memconsole.system.launch import absolute
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from pathlib import Path


class Place(NamedTuple):
    """One place that gives values.

    Attributes:
        text: For people and for `sources`, such as `/home/a/config.toml, line 3`,
            `environment MEMCONSOLE_HOME` or `option --home`.
        base: Folder that relative paths start from; None means the current one.
        user_home: What `~` stands for.
    """

    text: str
    base: Path | None
    user_home: Path

    def refuse(self, name: str, problem: str, hint: str = "") -> ConfigError:
        """Return the error for a value of this place.

        Args:
            name: Configuration key.
            problem: Rest of the sentence, such as `must be a whole number`.
            hint: What to do next.
        """
        return ConfigError(one_line(f"{name} {problem} ({self.text})"), hint=one_line(hint))

    def absolute(self, path: Path) -> Path:
        """Return an absolute path, `~` expanded.

        Raises:
            ValueError: `~name` names a user who is not known here.
            FolderGoneError: It is relative, and the current folder exists no more.
        """
        first, *rest = path.parts or (".",)
        if first == "~":
            return self.user_home.joinpath(*rest)
        try:
            expanded = path.expanduser()
        except RuntimeError:
            raise ValueError(f"names a user who is not known here: {shown(path)}") from None
        return absolute(expanded) if self.base is None else self.base / expanded
