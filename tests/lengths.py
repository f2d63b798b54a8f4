"""How many examples a costly property test takes: few in the usual run, more in a thorough one."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

USUAL = 16
"""Examples of a test in the usual run, unless it says otherwise."""


def costly(usual: int) -> settings:
    """Return the settings of a test of which each example takes long, and may use fixtures.

    Args:
        usual: Examples in the usual run; the thorough one takes as many times more as of others.
    """
    examples = max(usual, settings().max_examples * usual // USUAL)
    return settings(max_examples=examples, suppress_health_check=list(HealthCheck))
