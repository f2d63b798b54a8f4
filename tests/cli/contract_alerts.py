"""The objects of `alerts` in `docs/contract.md`; how they are checked stands in `contract.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cli.contract import Type

ALERT: dict[str, Type] = {
    "id": "str",
    "status": ("warning", "critical"),
    "message": "str",
    "hint": "str?",
    "since": "time",
    "seen_at": "time",
}
STANDING: Type = {
    **ALERT,
    "told_at": "time?",
    "again_at": "time?",
    "muted_until": "time?",
}
