"""What every test shares: a world without the user, and the folder of fixtures and cases."""

from __future__ import annotations

import gc
import json
import os
import re
import runpy
import shutil
import warnings
from collections import Counter
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import hypothesis
import pytest
import pytest_textual_snapshot

from tests.lengths import USUAL

if TYPE_CHECKING:
    from collections.abc import Generator

    from syrupy.location import PyTestLocation

ROOT = Path(__file__).resolve().parent.parent
SNAPSHOTS = ROOT / "snapshots"
SCREENS = ROOT / "tests" / "ui" / "screens"

FOREIGN_PREFIXES = ("OPENCLAW_", "CLAWDBOT_", "MOLTBOT_", "MEMCONSOLE_", "XDG_")
FOREIGN_NAMES = ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "TERM", "COLUMNS", "LINES")
XDG_FOLDERS = {
    "XDG_CONFIG_HOME": ".config",
    "XDG_STATE_HOME": ".local/state",
    "XDG_DATA_HOME": ".local/share",
    "XDG_CACHE_HOME": ".cache",
}

# A busy machine is no reason for a red test, nor is chance: the usual run takes the same examples
# each time. `make test-properties` looks longer, and somewhere else each time.
_SLOW = [hypothesis.HealthCheck.too_slow]
hypothesis.settings.register_profile(
    "memconsole", deadline=None, max_examples=USUAL, derandomize=True, suppress_health_check=_SLOW
)
hypothesis.settings.register_profile(
    "thorough", deadline=None, max_examples=500, suppress_health_check=_SLOW
)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "memconsole"))


MEASURED_VARIANTS = 4
"""How many variants of a parametrised test coverage looks at: it doubles the time of each."""

UNMEASURED = (
    "tests/cases/",
    "tests/ui/test_foreign_text.py",
    "tests/ui/test_keys.py",
)
"""Tests that pass through what others pass through as well, and take long.

Pictures and property tests are such, too: their examples go where those beside them go.
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave coverage out where it would see again what it has seen.

    What is not seen is not counted: the figure can only be too low.
    """
    seen: Counter[str] = Counter()
    for item in items:
        name, _, variant = item.nodeid.partition("[")
        seen[name] += 1
        is_again = bool(variant) and seen[name] > MEASURED_VARIANTS
        is_property = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
        is_picture = "/test_pictures" in name
        if is_again or is_property or is_picture or name.startswith(UNMEASURED):
            item.add_marker(pytest.mark.no_cover)


LONGEST_ID = 200


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name long values by their length: every id goes to every worker and into every report."""
    if isinstance(val, str | bytes) and len(val) > LONGEST_ID:
        return f"{argname} of {len(val)}"
    return None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect tests without looking for rubbish: nearly all that is made then stays.

    Afterwards what is new is looked through, not all that was loaded, and less often.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000, 20, 50)
        gc.enable()


class TopLevelSvgExtension(pytest_textual_snapshot.SVGImageExtension):  # type: ignore[misc]
    """Keeps baselines in snapshots/, in a tree like that of the screens' tests."""

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        place = Path(test_location.filepath).resolve().relative_to(SCREENS)
        return str(SNAPSHOTS / place.with_suffix(""))


# snap_compare looks this name up each time it runs, so replacing it is enough.
pytest_textual_snapshot.SVGImageExtension = TopLevelSvgExtension


class FixtureHome(Protocol):
    """Copies the home of one release and returns its state folder."""

    def __call__(self, release: str) -> Path: ...


class PreparedCase(Protocol):
    """Prepares a copy of one fault case; returns its folder and the environment to run under."""

    def __call__(self, case: str) -> tuple[Path, dict[str, str]]: ...


_FOLDERS = count()


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the test's own, found without looking through those of all tests before it."""
    name = re.sub(r"\W", "_", request.node.name)[:30]
    folder = tmp_path_factory.getbasetemp() / f"{name}{next(_FOLDERS)}"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture(autouse=True)
def user_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the user's home and environment out; return the empty home that stands in."""
    home = tmp_path / "user"
    home.mkdir()
    live_in(home, monkeypatch)
    return home


def live_in(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give this process an environment of its own, whose home is this folder."""
    for name in list(os.environ):
        if name.startswith(FOREIGN_PREFIXES) or name in FOREIGN_NAMES:
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    for name, folder in XDG_FOLDERS.items():
        monkeypatch.setenv(name, str(home / folder))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of fixtures and cases beside the checkout; skips the test without it."""
    folder = ROOT.parent / "shared"
    if not (folder / "fixtures").is_dir():
        pytest.skip(f"needs the shared folder of fixtures and cases at {folder}")
    return folder


@pytest.fixture
def fixture_home(shared: Path, tmp_path: Path) -> FixtureHome:
    """Copy `fixtures/<release>/home`; the same release twice is the same copy."""

    def copy(release: str) -> Path:
        home = tmp_path / "fixtures" / release / "home"
        if not home.exists():
            source = shared / "fixtures" / release / "home"
            shutil.copytree(source, home, copy_function=shutil.copyfile)
            for folder in (home, *home.rglob("*/")):
                folder.chmod(0o755)  # the shared folder may be read-only
        [state] = (path for path in (home / ".openclaw", home / ".clawdbot") if path.exists())
        return state

    return copy


@pytest.fixture
def prepared_case(shared: Path, tmp_path: Path) -> PreparedCase:
    """Copy a case and apply its setup.json, as `cases/README.md` says."""

    def prepare(case: str) -> tuple[Path, dict[str, str]]:
        dest = tmp_path / "cases" / case
        return dest, copy_case(shared / "cases", case, dest)

    return prepare


def copy_case(cases: Path, case: str, dest: Path) -> dict[str, str]:
    """Do what `prepare.py` of the cases does, without a process; return what it prints."""
    main = _program(cases / "prepare.py")["main"]
    with warnings.catch_warnings(), redirect_stdout(StringIO()) as told:
        warnings.simplefilter("ignore", ResourceWarning)  # it leaves files to be closed
        main(str(cases / case), str(dest))
    environment: dict[str, str] = json.loads(told.getvalue())
    return environment


_program = cache(runpy.run_path)
