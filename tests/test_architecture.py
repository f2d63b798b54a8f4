"""The house rules that a machine can check (`docs/architecture.md`); a long list."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter
from dataclasses import dataclass, is_dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.commands.catalogue import COMMANDS
from memconsole.engine.dispatch import MADE, named, uses_of
from memconsole.ports.bundle import Ports

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.program import Json

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "memconsole"

HOMES = {
    "anyio": {"cli"},
    "apprise": {"adapters.alerts"},
    "backports": {"adapters.transcripts"},
    "compression": {"adapters.transcripts"},
    "cryptography": {"adapters.fleet", "adapters.gateway"},
    "filelock": {"adapters.locks", "adapters.sqlite"},
    "httpx": {"adapters.alerts", "adapters.index", "adapters.model"},
    "humanize": {"text"},
    "mcp": {"cli"},
    "msgspec": {
        "adapters.gateway",
        "adapters.platform",
        "adapters.platform_index",
        "adapters.sessions",
        "adapters.transcripts",
    },
    "numpy": {"adapters.index"},
    "prometheus_client": {"adapters.metrics"},
    "psycopg": {"adapters.fleet"},
    "pydantic": {"cli"},
    "pyjson5": {"adapters.platform"},
    "pysqlite3": {"adapters.sqlite"},
    "rapidfuzz": {"domain", "ui"},
    "rich": {"cli", "text", "ui"},
    "sentencepiece": {"adapters.index"},
    "sqlean": {"adapters.sqlite"},
    "sqlite3": {"adapters.sqlite"},
    "sqlite_utils": {"adapters.state"},
    "sqlite_vec": {"adapters.index"},
    "textual": {"ui"},
    "typer": {"cli"},
    "watchfiles": {"adapters.changes"},
    "websockets": {"demo", "adapters.gateway"},
}
"""Where each library may be imported: rule 4. A library that is not here has no home yet."""

PURE = {"os", "sqlite3", "subprocess", "threading", "logging", "asyncio"}
"""What the domain never imports: rule 5."""

pytestmark = pytest.mark.xdist_group("architecture")
"""One process reads the sources for all rules."""

FOLDERS = ("memconsole", "benchmarks", "tests")
LONG_MODULE_LINES = 500
"""A longer module is one subject, and its docstring begins by telling why it is long."""
MAX_FUNCTION_LINES = 50
MOST_MODULES = 24
"""In one folder, side by side."""
OF_NO_SUBJECT = {"acceptance", "cases", "contract", "demo/pictures", "doubles", "lanes"}
"""Folders of tests that prove the whole, or that serve all tests."""


@dataclass(frozen=True, slots=True)
class Import:
    """One import statement of the package.

    Attributes:
        where: `file:line`, for the failure message.
        unit: The layer of ours that holds it; of adapters with the subject: `adapters.gateway`.
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


@dataclass(frozen=True, slots=True)
class Source:
    """What the rules ask about one file.

    Attributes:
        lines: Its length.
        opening: The first paragraph of its docstring.
        functions: `name`, first line and length of each function.
        imports: Its import statements; `unit` means nothing outside the package.
    """

    lines: int
    opening: str
    functions: tuple[tuple[str, int, int], ...]
    imports: tuple[Import, ...]


@cache
def sources(folder: str) -> dict[Path, Source]:
    """Read every file of a folder once; its syntax tree is not kept."""
    return {path: source_of(path, ROOT / folder) for path in sorted((ROOT / folder).rglob("*.py"))}


def source_of(path: Path, root: Path) -> Source:
    text = path.read_text("utf-8")
    functions: list[tuple[str, int, int]] = []
    imports: list[Import] = []
    unit = unit_of(path.relative_to(root))

    def look_at(node: ast.AST, *, is_at_start: bool) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            functions.append((node.name, node.lineno, length))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            where = f"{path.relative_to(ROOT)}:{node.lineno}"
            imports.extend(Import(where, unit, name, is_at_start) for name in names_in(node, where))
        is_later = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or is_for_checkers(node)
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, ast.stmt | ast.excepthandler | ast.match_case):
                look_at(inner, is_at_start=is_at_start and not is_later)

    tree = ast.parse(text)
    look_at(tree, is_at_start=True)
    opening = (ast.get_docstring(tree) or "").partition("\n\n")[0]
    return Source(len(text.splitlines()), opening, tuple(functions), tuple(imports))


def starts_of_programs() -> Iterator[tuple[str, ast.Call]]:
    """Yield `file: function` and each call in the package that starts a process."""
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text("utf-8")
        if not any(word in text for word in ("subprocess", "os.exec", "os.spawn", "os.system")):
            continue
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.Call):
                continue
            name = ast.unparse(node.func)
            _, dot, function = name.rpartition("subprocess.")
            is_start = dot and function in {"run", "Popen", "call", "check_call", "check_output"}
            if is_start or name.startswith(("os.exec", "os.spawn", "os.posix_spawn", "os.system")):
                yield f"{path.relative_to(ROOT)}: {name}", node


def test_no_module_is_started_from_the_current_folder() -> None:
    """Who may write into that folder would have what they write imported (`launch.py`)."""
    offenders = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in (
            ast.walk(ast.parse(text)) if '"-m"' in (text := path.read_text("utf-8")) else ()
        ):
            if isinstance(node, ast.Tuple | ast.List):
                words = [ast.unparse(one) for one in node.elts]
                if "'-m'" in words and words[max(0, words.index("'-m'") - 1)] != "'-P'":
                    offenders.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert offenders == []


def test_every_program_is_started_in_a_place_of_its_own() -> None:
    """`cwd` is named at every start; the re-execution gets `-P` instead."""
    found = list(starts_of_programs())
    assert len(found) > 5
    without = [
        (where, ast.unparse(call))
        for where, call in found
        if "cwd" not in {one.arg for one in call.keywords}
    ]
    assert [where for where, _ in without] == ["memconsole/cli/allocator.py: os.execve"]
    assert "'-P'" in without[0][1]


def test_folders_are_made_by_the_modules_that_close_them() -> None:
    """`Path.mkdir` follows links, and gives what is above the modes of the umask."""
    makers = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if "mkdir(" in path.read_text("utf-8") and path.parent.name != "demo"
    }
    assert makers == {
        "system/folders.py",
        "adapters/workspace/containment.py",
        "adapters/sqlite/private_copy.py",  # in the system's folder for temporary files
        "compose/recall.py",  # a home for a measurement, there too
    }


def test_programs_are_found_by_one_function() -> None:
    """`shutil.which` takes an empty or relative entry of PATH for the current folder."""
    users = [path.name for path in PACKAGE.rglob("*.py") if "which(" in path.read_text("utf-8")]
    assert users == ["launch.py"]


def unit_of(path: Path) -> str:
    parts = path.parts[: 2 if path.parts[0] == "adapters" else 1]
    return ".".join(part.removesuffix(".py") for part in parts)


def names_in(node: ast.Import | ast.ImportFrom, where: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    assert node.level == 0, f"{where}: imports are absolute here"
    yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_for_checkers(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


@cache
def package_imports() -> tuple[Import, ...]:
    return tuple(found for source in sources(PACKAGE.name).values() for found in source.imports)


@cache
def contracts() -> tuple[dict[str, Json], ...]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return tuple(settings["tool"]["importlinter"]["contracts"])


@cache
def layers() -> tuple[tuple[str, ...], ...]:
    """The layers from the top down, each with its modules; planned ones are in parentheses."""
    name = "Imports point down the picture"
    [found] = [contract["layers"] for contract in contracts() if contract["name"] == name]
    return tuple(tuple(layer.replace("|", ":").split(" : ")) for layer in found)


def top_level_modules() -> set[str]:
    return {
        path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in sources(PACKAGE.name)
    }


def test_every_top_level_module_has_a_layer() -> None:
    """A planned module has its layer already; once it is there, the parentheses go."""
    placed = {name for layer in layers() for name in layer}
    assert top_level_modules() == {name for name in placed if not name.startswith("(")} | {
        "__init__"
    }


def test_no_circle_is_excused() -> None:
    """A contract keeps sibling packages free of circles; exceptions to it are never added."""
    [contract] = [one for one in contracts() if one["type"] == "acyclic_siblings"]
    assert set(contract) == {"name", "type", "ancestors"}
    assert contract["ancestors"] == ["memconsole"]


def test_no_folder_is_too_full_to_find_the_room() -> None:
    rooms = Counter(path.parent for path in sources(PACKAGE.name))
    assert [str(folder) for folder, count in rooms.items() if count > MOST_MODULES] == []


def test_tests_lie_in_the_tree_of_the_package() -> None:
    tests = ROOT / "tests"
    folders = {path.parent.relative_to(tests) for path in tests.rglob("*.py")}
    strays = [
        str(folder)
        for folder in folders
        if not (PACKAGE / folder).is_dir()
        and OF_NO_SUBJECT.isdisjoint([str(folder), *map(str, folder.parents)])
    ]
    assert strays == []


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
        found.where
        for found in package_imports()
        if found.unit in {"domain", "text"} and found.root in PURE
    ]
    assert impure == []


def test_no_face_loads_another_at_start() -> None:
    """`cli` imports `ui` and `demo` inside the command body (rule 3)."""
    eager = [
        found.where
        for found in package_imports()
        if found.unit in {"__main__", "cli", "compose", "config"}
        and found.is_at_start
        and found.name.startswith(("memconsole.ui", "memconsole.demo"))
    ]
    assert eager == []


def test_no_handler_of_the_console_calls_that_of_its_base() -> None:
    """Textual calls the handlers of all classes itself: the one of the base would run twice."""
    called = {
        f"{path.relative_to(ROOT)}: {found}"
        for path in (PACKAGE / "ui" / "screens").rglob("*.py")
        for found in re.findall(r"super\(\)\.on_\w+", path.read_text("utf-8"))
    }

    assert called == set()


@pytest.mark.parametrize("folder", FOLDERS)
def test_functions_stay_short_and_long_modules_say_why(folder: str) -> None:
    found = sources(folder)
    assert found
    modules = [
        f"{path.relative_to(ROOT)} has {source.lines} lines and does not say why it is long"
        for path, source in found.items()
        if source.lines > LONG_MODULE_LINES and "long" not in source.opening.casefold().split()
    ]
    functions = [
        f"{path.relative_to(ROOT)}:{line} {name} has {length} lines"
        for path, source in found.items()
        for name, line, length in source.functions
        if length > MAX_FUNCTION_LINES
    ]
    assert modules + functions == []


OUTSIDE = re.compile(
    r"""
      (?<![\w/.-])(?:mission|house|cli|search|fleet|operators|memory-quality|faults)\.md\b
    | \bformats/[a-z0-9.-]+\.md
    | \(A\d{1,2}[a-z]?(?:\)|[,;]\ (?:A\d|mission|house))
    | \b[Cc]ases?\ c\d\d
    | \(issue\ \d
    | (?<!CommonMark\ )(?<!ISO\ 8601\ )(?<!RFC\ \d{4}\ )§
    """,
    re.VERBOSE,
)
"""A document that a reader of this repository does not have; standards may be quoted by section."""

PAGE = re.compile(r"`(docs/[\w/-]+\.md)`(?:,\s+\"([^\"]+)\")?")
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
PLACE = re.compile(
    r"`((?:adapters|cli|compose|config|demo|domain|engine|ports|scheduler|system|text|ui|tests)/"
    r"[\w/.-]*)`"
)
TEXTS = {".md", ".py", ".sh", ".sql", ".tcss", ".toml", ".yaml"}


def texts() -> Iterator[tuple[str, str]]:
    """Yield path and text of whatever people read in this repository."""
    for folder in (*FOLDERS, "docs", "styles", ".ci"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in TEXTS and path != Path(__file__):
                yield str(path.relative_to(ROOT)), path.read_text("utf-8", errors="replace")
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile", "pyproject.toml"):
        yield name, (ROOT / name).read_text("utf-8")


def anchors(path: Path) -> set[str]:
    """Return the headings of a page, as words and as the anchors that a forge makes of them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE)
    plain = {heading.replace("`", "") for heading in headings}
    return plain | {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in plain}


@pytest.mark.parametrize(
    ("text", "is_outside"),
    [
        ("as the rules say (A12)", True),
        ("see `cli.md`, Manners", True),
        ("mission §5", True),
        ("formats/openclaw-2026.9.md", True),
        ("case c17", True),
        ("RFC 8259 §7", False),
        ("`docs/contract.md`", False),
    ],
)
def test_a_reference_to_a_document_elsewhere_is_noticed(text: str, is_outside: bool) -> None:
    assert bool(OUTSIDE.search(text)) is is_outside


def test_no_text_refers_to_a_document_that_is_not_here() -> None:
    assert [
        f"{name}:{number} {line.strip()}"
        for name, text in texts()
        if not name.startswith("tests/cases/")
        for number, line in enumerate(text.splitlines(), 1)
        if OUTSIDE.search(line)
    ] == []


def test_every_page_that_is_named_opens_where_it_says() -> None:
    shut = []
    for name, text in texts():
        if name.startswith("tests/"):  # notes of made-up workspaces
            continue
        named = [(ROOT / page, heading) for page, heading in PAGE.findall(text)]
        if name.endswith(".md"):
            here = ROOT / name
            links = LINK.findall(text)
            named += [((here.parent / to if to else here), anchor) for to, anchor in links]
        shut += [
            f"{name}: {page.name} {heading}"
            for page, heading in named
            if not page.exists() or (heading and " ".join(heading.split()) not in anchors(page))
        ]
    assert shut == []


def test_every_module_that_a_page_names_is_there() -> None:
    assert [
        f"{name}: {place}"
        for name, text in texts()
        if name.endswith(".md") and name != "CHANGELOG.md"
        for place in PLACE.findall(text)
        if not (PACKAGE / place).exists() and not (ROOT / place).exists()
    ] == []


GIVEN = {
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
    known = {**ports, **GIVEN, **made}
    places = [*(spec.runner for spec in COMMANDS), *MADE.values(), "memory.erasure:finish"]
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
