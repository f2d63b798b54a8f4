"""How the account of a run is written into a column, and how it comes back."""

from __future__ import annotations

import json
from typing import Final

from memconsole.domain.commands.steps import Account, Proof, Step, Verdict
from memconsole.text.outgoing import let_out

_MOST_STEPS: Final = 40
_MOST_CHARS: Final = 400
"""Of one text: masked whole, then cut."""


def packed(account: Account) -> str:
    """Return an account as JSON of plain ASCII, of a bounded size."""
    proof = account.proof
    return json.dumps(
        {
            "steps": [
                [_cut(one.name), one.status, one.duration_ms, _cut(one.message)]
                for one in account.steps[:_MOST_STEPS]
            ],
            "proof": None if proof is None else [proof.verdict.value, _cut(proof.text)],
        }
    )


def unpacked(stored: str) -> Account:
    """Return the account of a column.

    Raises:
        ValueError: Another program spoiled it.
    """
    try:
        row = json.loads(stored)
        proof = row["proof"]
        steps = tuple(
            Step(str(name), str(status), None if took is None else int(took), str(message))
            for name, status, took, message in row["steps"]
        )
        return Account(
            steps, None if proof is None else Proof(Verdict(str(proof[0])), str(proof[1]))
        )
    except (TypeError, KeyError, IndexError) as error:
        raise ValueError("no account") from error


def _cut(text: str) -> str:
    masked = let_out(text)
    return masked if len(masked) <= _MOST_CHARS else f"{masked[: _MOST_CHARS - 1]}…"
