"""Markers that sentences deserve, and names of talks."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memconsole.domain.memory.files import MARKER_TAGS
from memconsole.domain.memory.slug import MOST_CHARS, slug
from memconsole.domain.summarize.markers import Tagged, observations, tag_of


@pytest.mark.parametrize(
    ("role", "sentence", "tag"),
    [
        ("user", "We decided to keep PostgreSQL for the inventory.", "DECISION"),
        ("user", "Let's use uv instead of poetry.", "DECISION"),
        ("assistant", "I went with the smaller model for the nightly run.", "DECISION"),
        ("user", "I prefer tabs in Go and spaces everywhere else.", "PREFERENCE"),
        ("user", "Please always answer in German.", "PREFERENCE"),
        ("assistant", "Careful: the importer silently drops rows without an id.", "GOTCHA"),
        ("assistant", "It fails when the socket path is longer than 108 bytes.", "GOTCHA"),
        ("assistant", "I fixed it by pinning the schema version.", "SOLUTION"),
        ("user", "Every time the laptop sleeps the tunnel is gone.", "PATTERN"),
        ("assistant", "That is faster to build, but it costs twice the memory.", "TRADEOFF"),
        ("user", "The staging host listens on 10.0.4.17.", "FACT"),
        ("user", "Remind me to renew the certificate on Friday.", "TODO"),
        ("user", "我们决定使用 PostgreSQL 作为库存数据库，替换旧的方案。", "DECISION"),
        ("assistant", "- done", None),
        ("user", "Should we go with PostgreSQL?", None),
        ("user", "If we use Redis, everything else has to change.", None),
        ("assistant", "I prefer to answer questions about code.", None),
        ("user", "thanks, that was great", None),
    ],
)
def test_a_sentence_gets_the_marker_it_deserves(role: str, sentence: str, tag: str | None) -> None:
    found = tag_of(sentence, role)
    assert (None if found is None else found.tag) == tag


def test_lines_that_carry_a_marker_keep_it() -> None:
    assert tag_of("🔴 [GOTCHA] tabs in YAML", "user") == Tagged("GOTCHA", "tabs in YAML")
    assert tag_of("[DECISION]", "user") is None


def test_of_each_marker_the_newest_are_kept_each_once() -> None:
    said = [("user", f"We decided to use port {n}.") for n in (1, 2, 3, 3)]
    kept = [one.text for one in observations(said, 2)]
    assert kept == ["We decided to use port 2.", "We decided to use port 3."]
    assert observations(said, 0) == ()


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text()), max_size=4))
def test_any_session_has_observations_of_one_line(said: list[tuple[str, str]]) -> None:
    for one in observations(said, 5):
        assert one.tag in MARKER_TAGS
        assert one.text
        assert "\n" not in one.text


def test_a_session_is_named_by_what_sets_it_apart_from_the_pool() -> None:
    texts = ["Please restore the backup of the replica", "the backup of the replica, please"]
    assert slug(texts, {}, 0) == "restore-backup-replica"
    common = {"backup": 40, "replica": 40}
    said = [*texts, "restore scanner firmware version"]
    assert slug(said, common, 40) == "restore-scanner-firmware-version"


@pytest.mark.parametrize("text", ["", "ok thanks", "数据库 备份", "/etc/hosts 12 34"])
def test_without_telling_words_there_is_no_name(text: str) -> None:
    assert slug([text], {}, 0) is None


def test_accents_are_written_without() -> None:
    assert slug(["Überprüfe die Größe der Säule"], {}, 0) == "uberprufe-grosse-saule"


@given(st.lists(st.text(), max_size=4))
@example(["𝑨00 𝑩01"])
def test_a_name_is_always_a_file_name(texts: list[str]) -> None:
    name = slug(texts, {}, 3)
    if name is not None:
        assert 0 < len(name) <= MOST_CHARS
        assert name.isascii()
        assert name == name.lower()
        assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
