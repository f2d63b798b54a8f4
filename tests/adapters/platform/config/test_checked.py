"""What of a configuration is checked: named keys only, and never a secret."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.adapters.platform.config.checked import checked_part
from memconsole.adapters.platform.config.read import read_config
from memconsole.adapters.platform.home import find_home

if TYPE_CHECKING:
    from collections.abc import Mapping

SECRET = "sk-example-not-real-0123456789"


def test_pruning_as_one_word_is_its_mode() -> None:
    """Older notes write `contextPruning: "adaptive"`."""
    root = {"agents": {"defaults": {"contextPruning": "adaptive"}, "list": [{"id": "a"}]}}
    assert checked_part(root) == {
        "agents": {"defaults": {"contextPruning": {"mode": "adaptive"}}, "list": [{"id": "a"}]}
    }


def test_only_named_keys_are_kept() -> None:
    root = {
        "agents": {
            "defaults": {
                "compaction": {"mode": "safeguard", "model": SECRET, "memoryFlush": {"enabled": 1}},
                "memorySearch": {"remote": {"apiKey": SECRET}, "query": {"minScore": 0.2}},
            },
            "list": [{"id": "Main", "env": SECRET, "subagents": {"allowAgents": ["*"]}}, SECRET],
            "entries": {"work": {"identity": {"name": SECRET}}},
        },
        "hooks": {"token": SECRET, "internal": {"entries": {"x": {"enabled": True, "env": 1}}}},
        "bindings": [{"agentId": "work", "match": {"channel": "telegram", "key": SECRET}}],
        "gateway": {"auth": {"token": SECRET}},
        "plugins": {
            "entries": {
                "memory-core": {"config": {"dreaming": {"enabled": True, "model": SECRET}}},
                "other": {"config": {"key": SECRET}},
            }
        },
    }
    assert checked_part(root) == {
        "agents": {
            "defaults": {
                "compaction": {"mode": "safeguard", "memoryFlush": {"enabled": 1}},
                "memorySearch": {"query": {"minScore": 0.2}},
            },
            "list": [{"id": "Main", "subagents": {"allowAgents": ["*"]}}, {}],
            "entries": {"work": {}},
        },
        "hooks": {"internal": {"entries": {"x": {"enabled": True}}}},
        "bindings": [{"agentId": "work", "match": {"channel": "telegram"}}],
        "plugins": {"entries": {"memory-core": {"config": {"dreaming": {"enabled": True}}}}},
    }


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(
            st.sampled_from(["agents", "defaults", "compaction", "list", "id", "session", "hooks"])
            | st.text(),
            inner,
        )
    ),
    max_leaves=30,
)


@given(st.dictionaries(st.text(), JSON))
def test_any_shape_is_taken(root: Mapping[str, object]) -> None:
    kept = checked_part(root)
    assert checked_part(kept) == kept


@pytest.mark.shared
@pytest.mark.parametrize(
    ("fixture", "mode"), [("openclaw-2026.9", "safeguard"), ("openclaw-2026.3", None)]
)
def test_the_fixtures_lose_their_tokens(shared: Path, fixture: str, mode: str | None) -> None:
    home = shared / "fixtures" / fixture / "home" / ".openclaw"
    checked = read_config(find_home(home, {}, Path("/home/operator")), {}).config.checked
    text = json.dumps(checked)
    assert "fake" not in text
    assert ('"mode": "safeguard"' in text) is (mode is not None)
