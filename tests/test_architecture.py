"""The house rules that a machine can check (`docs/architecture.md`)."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.program import Json

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "memconsole"

HOMES = {
    "apprise": {"alerts"},
    "apscheduler": {"scheduler"},
    "cryptography": {"gateway"},
    "filelock": {"stores"},
    "httpx": {"alerts", "index", "llm"},
    "humanize": {"cli", "ui"},
    "msgspec": {"gateway", "stores"},
    "numpy": {"index"},
    "prometheus_client": {"metrics"},
    "pyjson5": {"platform"},
    "pysqlite3": {"sqlite"},
    "rapidfuzz": {"domain", "ui"},
    "rich": {"cli", "ui"},
    "sqlean": {"sqlite"},
    "sqlite3": {"sqlite"},
    "sqlite_utils": {"index", "stores"},
    "sqlite_vec": {"index"},
    "textual": {"ui"},
    "tokenizers": {"index"},
    "typer": {"cli"},
    "watchfiles": {"changes"},
    "websockets": {"demo", "gateway"},
    "zstandard": {"demo", "stores"},
}
"""Where each library may be imported: rule 4. A library that is not here has no home yet."""

PURE = {"os", "sqlite3", "subprocess", "threading", "logging", "asyncio"}
"""What the domain never imports: rule 5."""

HEAVY = ("textual", "numpy", "sqlite_utils", "websockets", "watchfiles", "tokenizers")
"""What a plain command never loads."""

MAX_MODULE_LINES = {"memconsole": 300, "benchmarks": 300, "tests": 500}
MAX_FUNCTION_LINES = 50


@dataclass(frozen=True, slots=True)
class Import:
    """One import statement of the package.

    Attributes:
        where: `file:line`, for the failure message.
        unit: The top-level module or package of ours that holds it.
        name: The imported module, absolute.
        is_at_start: It runs when the module is imported.
    """

    where: str
    unit: str
    name: str
    is_at_start: bool

    @property
    def root(self) -> str:
        return self.name.partition(".")[0]


@cache
def parsed() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text("utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def package_imports() -> tuple[Import, ...]:
    return tuple(found for path, tree in parsed().items() for found in imports_of(path, tree))


def imports_of(path: Path, tree: ast.Module) -> Iterator[Import]:
    unit = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    deferred = {
        id(inner)
        for outer in ast.walk(tree)
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef) or is_for_checkers(outer)
        for inner in ast.walk(outer)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute here"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        where = f"{path.relative_to(ROOT)}:{node.lineno}"
        for name in names:
            yield Import(where, unit, name, id(node) not in deferred)


def is_for_checkers(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def test_import_contracts_hold() -> None:
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command as lint; lint()",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@cache
def contracts() -> tuple[dict[str, Json], ...]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return tuple(settings["tool"]["importlinter"]["contracts"])


@cache
def layers() -> tuple[tuple[str, ...], ...]:
    """The layers from the top down, each with its modules; planned ones are in parentheses."""
    [found] = [contract["layers"] for contract in contracts() if contract["type"] == "layers"]
    return tuple(tuple(layer.replace("|", ":").split(" : ")) for layer in found)


def top_level_modules() -> set[str]:
    return {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in parsed()}


def test_every_top_level_module_has_a_layer() -> None:
    """A planned module has its layer already; once it is there, the parentheses go."""
    placed = {name for layer in layers() for name in layer}
    assert top_level_modules() == {name for name in placed if not name.startswith("(")} | {
        "__init__"
    }


def test_no_adapter_is_left_out_of_the_contract() -> None:
    """What lies between the ports and the domain is hidden from engine and faces (rule 2)."""
    names = [layer[0] for layer in layers()]
    between = layers()[names.index("ports") + 1 : names.index("domain")]
    adapters = {name for layer in between for name in layer if not name.startswith("(")}
    [contract] = [one for one in contracts() if "never know an adapter" in str(one["name"])]
    assert set(contract["forbidden_modules"]) == {f"memconsole.{name}" for name in adapters}


@pytest.mark.parametrize("library", sorted(HOMES))
def test_a_library_has_one_home(library: str) -> None:
    strangers = [
        found.where
        for found in package_imports()
        if found.root == library and found.unit not in HOMES[library]
    ]
    assert strangers == []


def test_no_library_is_homeless() -> None:
    known = {*sys.stdlib_module_names, *HOMES, "memconsole", "_typeshed"}
    assert [found for found in package_imports() if found.root not in known] == []


def test_the_domain_is_pure() -> None:
    impure = [
        found.where for found in package_imports() if found.unit == "domain" and found.root in PURE
    ]
    assert impure == []


def test_no_face_loads_another_at_start() -> None:
    """`cli` imports `ui` and `demo` inside the command body (rule 3)."""
    eager = [
        found.where
        for found in package_imports()
        if found.unit in {"__main__", "cli", "wiring", "wiring_search", "config"}
        and found.is_at_start
        and found.name.startswith(("memconsole.ui", "memconsole.demo"))
    ]
    assert eager == []


@pytest.mark.parametrize("folder", MAX_MODULE_LINES)
def test_modules_and_functions_stay_short(folder: str) -> None:
    paths = sorted((ROOT / folder).rglob("*.py"))
    assert paths
    assert [too_long for path in paths for too_long in measured(path, folder)] == []


def measured(path: Path, folder: str) -> Iterator[str]:
    text = path.read_text("utf-8")
    lines = len(text.splitlines())
    if lines > MAX_MODULE_LINES[folder]:
        yield f"{path.relative_to(ROOT)} has {lines} lines"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > MAX_FUNCTION_LINES:
                yield f"{path.relative_to(ROOT)}:{node.lineno} {node.name} has {length} lines"


LOADED = """
import sys
from memconsole.__main__ import main
sys.argv = ["memconsole", *sys.argv[1:]]
try:
    main()
except SystemExit as stop:
    code = stop.code
else:
    code = 0
print(code or 0, *sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""


def loaded_by(*arguments: str) -> tuple[int, set[str]]:
    """Run one command in a new process; return its exit code and what it imported."""
    command = [sys.executable, "-c", LOADED, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    code, *modules = done.stderr.splitlines()[-1].split()
    return int(code), set(modules)


def test_version_is_answered_before_typer_is_loaded() -> None:
    code, modules = loaded_by("--version")
    assert code == 0
    assert modules & {"typer", "click", "rich", *HEAVY} == set()


@pytest.mark.parametrize("command", ["status", "agents", "sessions", "runs"])
def test_plain_commands_load_nothing_heavy(command: str, user_home: Path) -> None:
    sessions = user_home / ".openclaw" / "agents" / "main" / "sessions"
    sessions.mkdir(parents=True)
    (sessions / "sessions.json").write_text("{}")
    code, modules = loaded_by("--json", command)
    assert code == 0
    assert modules & set(HEAVY) == set()
