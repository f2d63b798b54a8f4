"""Write requirements.lock: every package of the project, its extras and its tools, with hashes.

pip-compile drops a requirement whose marker does not hold on the machine it runs on. Those are
compiled on their own and appended with their marker, so that one lock serves every platform.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements.lock"
OPTIONS = (
    "--quiet",
    "--generate-hashes",
    "--allow-unsafe",
    "--strip-extras",
    "--no-emit-index-url",
    "--no-emit-find-links",
    "--no-emit-trusted-host",
    "--no-emit-options",
)


def main() -> None:
    """Compile for this platform, then add what only other platforms install."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    tools = [*project["dependency-groups"]["dev"], *project["build-system"]["requires"]]
    compile_lock(["pyproject.toml", "-", "--all-extras", *sys.argv[1:]], LOCK, "\n".join(tools))
    text = LOCK.read_text(encoding="utf-8").replace("-r -", "memconsole (tools)")
    elsewhere = [
        requirement
        for requirement in map(Requirement, project["project"]["dependencies"])
        if requirement.marker is not None and not requirement.marker.evaluate()
    ]
    text += "".join(compile_elsewhere(requirement) for requirement in elsewhere)
    LOCK.write_text(text, encoding="utf-8")


def compile_elsewhere(requirement: Requirement) -> str:
    """Return the lock entry of a requirement that this platform does not install."""
    bare = f"{requirement.name}{requirement.specifier}"
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "requirements.txt"
        compile_lock(["-", "--no-annotate", "--no-header"], out, bare)
        pin, *hashes = out.read_text(encoding="utf-8").splitlines()
    if any("==" in line for line in hashes):
        message = f"{requirement.name} has requirements of its own: compile it on its platform"
        raise SystemExit(message)
    entry = [f"{pin.removesuffix(chr(92)).rstrip()} ; {requirement.marker} \\", *hashes]
    return "\n".join([*entry, "    # via memconsole (pyproject.toml)", ""])


def compile_lock(arguments: list[str], out: Path, standard_input: str) -> None:
    """Run pip-compile; the requirements on its standard input join the named files."""
    command = [sys.executable, "-m", "piptools", "compile", *OPTIONS, "-o", str(out), *arguments]
    environment = {**os.environ, "CUSTOM_COMPILE_COMMAND": "make lock"}
    subprocess.run(command, input=standard_input, text=True, check=True, cwd=ROOT, env=environment)


if __name__ == "__main__":
    main()
