"""The fault cases: every demand of every `expect.json` is one test."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

import pytest

import tests.cases
from tests.cases.registry import ASSERTIONS, PLAYS, Demand, Registered, complaint, demands
from tests.cases.stage import prepare
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from _pytest.mark.structures import ParameterSet

    from tests.cases.registry import Scene

CASES = ROOT.parent / "shared" / "cases"

for _module in pkgutil.iter_modules(tests.cases.__path__):
    if _module.name.startswith("case_"):
        importlib.import_module(f"tests.cases.{_module.name}")

DEMANDS = tuple(demands(CASES))
PLAYED: dict[str, Scene] = {}

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not DEMANDS, reason=f"needs the shared folder of cases at {CASES}"),
]


def parameters() -> Iterator[ParameterSet]:
    for demand in DEMANDS:
        for one in ASSERTIONS.get((demand.check, demand.name), []):
            name = f"{demand.check} {demand.name}{' / ' * bool(one.part)}{one.part}"
            marks = [pytest.mark.xdist_group(demand.check)]
            if one.needs is not None:
                marks.append(pytest.mark.xfail(strict=True, reason=f"needs {one.needs}"))
            yield pytest.param(demand, one, id=name, marks=marks)


@pytest.mark.parametrize(("demand", "one"), parameters())
def test_demand(demand: Demand, one: Registered, tmp_path_factory: pytest.TempPathFactory) -> None:
    if demand.check not in PLAYED:
        PLAYED[demand.check] = played(demand, tmp_path_factory.mktemp(demand.check))
    one.function(PLAYED[demand.check], demand.want)


def played(demand: Demand, folder: Path) -> Scene:
    """Prepare the case and do what the check says; its other demands look at the same scene."""
    stage = prepare(CASES, demand.case, folder)
    _, play = PLAYS[demand.check]
    return play(stage)


def test_every_demand_has_an_assertion() -> None:
    """Fails on every key and every sentence that nobody answers for."""
    assert [why for demand in DEMANDS if (why := complaint(demand))] == []


def test_no_assertion_stands_for_nothing() -> None:
    known = {(demand.check, demand.name) for demand in DEMANDS}
    assert set(ASSERTIONS) - known == set()
    assert set(PLAYS) - {demand.check for demand in DEMANDS} == set()
