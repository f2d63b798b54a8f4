"""What every drawing shares."""

from __future__ import annotations

import pytest

from memconsole.domain.agents import Storage
from memconsole.ui.drawing.context import source_word


@pytest.mark.parametrize("storage", Storage)
def test_every_storage_has_a_word_for_the_screen(storage: Storage) -> None:
    assert source_word(storage) in ("gateway", "disk", "files")


def test_the_gateway_is_called_so() -> None:
    assert source_word(Storage.GATEWAY) == "gateway"
