"""What panes say, as values: no terminal, no app; long since each kind of row has cases here."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memconsole.domain.agents import Notice, Storage
from memconsole.domain.memory.advice import MemoryAdvice
from memconsole.domain.memory.files import Limit, PoolDay
from memconsole.domain.search.indexing import IndexState, IndexStatus, Source
from memconsole.domain.search.query import parse
from memconsole.domain.sessions.activity import Doing
from memconsole.domain.sessions.composition import Advice
from memconsole.domain.sessions.tokens import TokenCount, TokenState
from memconsole.ui.actions.targets import ALL
from memconsole.ui.drawing.context import Context
from memconsole.ui.drawing.excerpt import Location
from memconsole.ui.drawing.glyphs import UNICODE
from memconsole.ui.drawing.listing import Listing, Sort
from memconsole.ui.drawing.names import agent_name, session_name, state_word
from memconsole.ui.drawing.plot import Series, plot
from memconsole.ui.drawing.spans import Cell, Role
from memconsole.ui.drawing.table import draw_row, fit
from memconsole.ui.queries import Facets, Queries
from memconsole.ui.screens.jobs.activity import status_sign
from memconsole.ui.screens.memory.file import read_file
from memconsole.ui.screens.memory.pool import advice_listing, files_listing, markers_listing
from memconsole.ui.screens.overview.agents import agents_listing
from memconsole.ui.screens.overview.journal import journal_listing
from memconsole.ui.screens.overview.memory import memory_listing
from memconsole.ui.screens.overview.sessions import detail_line, next_sort, sessions_listing
from memconsole.ui.screens.search.rows import IndexView, could_look, index_words, location_of, shown
from memconsole.ui.screens.search.screen import (
    choices,
    chosen,
    facets_listing,
    hit_listing,
    next_choice,
)
from memconsole.ui.screens.session.rows import fill_listing, state_listing, windows_listing
from memconsole.ui.screens.session.screen import messages_listing, safe_transcript
from memconsole.ui.workers.indexing import Building
from tests.ui import sample, sample_details
from tests.ui.fake_engine import FakeEngine
from tests.ui.fake_search import found, status

BERLIN = ZoneInfo("Europe/Berlin")
NOW = Context(sample.NOW, BERLIN, UNICODE)
LATER = replace(NOW, now=sample.NOW + timedelta(minutes=7))


def lines(listing: Listing, width: int = 110) -> list[str]:
    """Return the rows as they would be drawn."""
    if not listing.columns:
        return ["".join(cell.text for cell in row.cells).rstrip() for row in listing.rows]
    fitted = fit(listing.columns, width)
    return [
        "".join(span.text for span in draw_row(row, listing.columns, fitted, UNICODE)).rstrip()
        for row in listing.rows
    ]


# ---- names -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rest", "label", "name"),
    [
        ("main", None, "main"),
        ("telegram:direct:1001", "Ada", "telegram · Ada"),
        ("telegram:direct:1001", None, "telegram · 1001"),
        ("dashboard:7d1e", "Stock", "Stock"),
        ("main:thread:17", None, "main · thread · 17"),
        ("cron:nightly", "", "cron · nightly"),
    ],
)
def test_a_session_is_called_by_channel_and_label(rest: str, label: str | None, name: str) -> None:
    view = sample.view(sample.stored("main", rest, label=label), sample.fresh(1))
    assert session_name(view) == name


def test_a_session_without_a_key_is_called_by_its_id() -> None:
    view = sample.view(sample.stored("work", None, 90), sample.fresh(1))
    assert session_name(view) == view.session_id


def test_an_agent_is_called_by_both_names_when_they_differ() -> None:
    assert agent_name(sample.agent("main", name="Robin")) == "main (Robin)"
    assert agent_name(sample.agent("main", name="MAIN")) == "main"
    assert agent_name(sample.agent("main")) == "main"


@pytest.mark.parametrize(
    ("state", "word"),
    [
        (TokenState.FRESH, ""),
        (TokenState.ESTIMATED, "est"),
        (TokenState.STALE, "stale"),
        (TokenState.SUSPECT, "suspect"),
        (TokenState.UNKNOWN, "?"),
    ],
)
def test_every_state_has_a_word(state: TokenState, word: str) -> None:
    view = sample.view(sample.stored("main", "main"), TokenCount(state, 5))
    assert state_word(view) == word


# ---- first screen ----------------------------------------------------------------------------


def test_ids_get_their_room_before_gauges() -> None:
    long = sample.agent("inventory-nightly", name="Ada")
    sessions = (sample.view(sample.stored("inventory-nightly", "main"), sample.fresh(75_000)),)
    listing = agents_listing(sample.snapshot((sample.agent_view(long, sessions),), sessions), NOW)
    assert lines(listing, 24) == ["inventory-nightly    50%"]
    assert lines(listing, 44)[0].startswith("inventory-nightly")
    assert lines(listing, 70)[0].startswith("inventory-nightly (Ada) ")


def test_all_agents_count_a_shared_pool_once() -> None:
    usual = sample.usual()
    shared = usual.agents[0].pool
    twins = replace(usual, agents=tuple(replace(one, pool=shared) for one in usual.agents))
    rows = {row.key: row for row in agents_listing(twins, NOW).rows}
    assert rows[ALL].cells[-1].text == "847K"


def test_agents_say_what_their_sessions_do_the_gravest_first() -> None:
    usual = sample.usual()
    doing = {Doing.STUCK: 1, Doing.WORKING: 2}
    main, work, research = usual.agents
    reading = replace(
        usual,
        agents=(
            replace(main, activity=doing),
            replace(work, activity={Doing.PERSON: work.sessions or 0}),
            replace(research, activity={}, sessions=2),
        ),
    )
    listing = agents_listing(reading, NOW)
    place = [column.title for column in listing.columns].index("does")
    cells = {row.key: row.cells[place] for row in listing.rows}
    assert cells["main"] == Cell("STUCK", Role.WARNING)
    assert (cells["work"].text, cells["research"].text) == (f"{work.sessions} wait", "?")


def test_an_unreadable_store_is_a_question_mark() -> None:
    rows = {row.key: row for row in agents_listing(sample.unreadable(), NOW).rows}
    assert [cell.text for cell in rows["work"].cells][1:4] == ["?", "", "?"]
    assert rows["work"].cells[5].text == "?"
    assert rows[ALL].cells[1].text == "7+?"


def test_sessions_are_sorted_and_the_order_goes_round() -> None:
    usual = sample.usual()
    by_name = sessions_listing(usual, NOW, agent_id="main", sort=Sort("session", falling=False))
    names = [row.value for row in by_name.rows]
    assert names == sorted(names)
    sort, seen = Sort("full"), []
    for _ in range(5):
        sort = next_sort(sort, ("full", "grows", "due", "session", "updated"))
        seen.append((sort.name, sort.falling))
    assert seen == [
        ("grows", True), ("due", True), ("session", False), ("updated", True), ("full", True),
    ]  # fmt: skip


def test_stale_data_says_its_age() -> None:
    listing = sessions_listing(sample.usual(), LATER, agent_id="main")
    assert listing.is_stale
    assert listing.age == "7 min ago stale"


def test_memory_says_what_the_platform_will_cut() -> None:
    usual = sample.usual()
    pool = replace(sample.pool("main"), limits=(Limit("MEMORY.md", 21_000, 20_000),))
    agent = replace(usual.agents[0], pool=pool)
    listing = memory_listing(usual, NOW, agent=agent)
    assert "MEMORY.md 21K of 20K chars CUT" in lines(listing)
    assert memory_listing(usual, NOW, agent=None).empty == ("select one agent to see its memory",)
    gone = replace(agent, pool=replace(pool, exists=False))
    assert memory_listing(usual, NOW, agent=gone).empty[0] == "its workspace is missing:"


@pytest.mark.parametrize(
    ("days", "width", "shown"),
    [
        (0, 71, "13:16  "),
        (1, 71, "25 Jan 13:16  "),
        (1, 45, "25 Jan  "),
        (340, 71, "20 Feb 13:16  "),
    ],
)
def test_activity_tells_the_day_of_what_is_not_of_today(days: int, width: int, shown: str) -> None:
    [run, *_] = sample.runs()
    at = sample.ago(hours=1, minutes=4) - timedelta(days=days)
    reading = replace(sample.usual(), activity=(replace(run, started_at=at),))
    listing = journal_listing(reading, NOW)
    line = draw_row(listing.rows[0], listing.columns, fit(listing.columns, width), UNICODE)

    assert "".join(span.text for span in line).startswith(shown)


@pytest.mark.parametrize(
    ("word", "role"),
    [("done", Role.OK), ("failed", Role.DUE), ("running", Role.ACCENT), ("skipped", Role.MUTED)],
)
def test_every_status_has_a_sign(word: str, role: Role) -> None:
    assert status_sign(word, UNICODE)[1] is role


def test_a_line_of_detail_says_what_the_list_had_no_room_for() -> None:
    view = sample.main_sessions()[1]
    [span] = detail_line(view, None, NOW)
    assert span.text == " main / telegram · Ada (phone) · 131.4K of 150K · window 66% · due in 8 h"
    assert detail_line(None, None, NOW)[0].text == ""


@pytest.mark.parametrize(
    ("width", "text"),
    [
        (60, " main / telegram · Ada (phone) · 131.4K of 150K · window 66%"),
        (59, " main / telegram · Ada (phone) · 131.4K of 150K"),
        (46, " main / telegram · Ada (phone) · 131.4K"),
        (38, " main / telegram · Ada (phone)"),
    ],
)
def test_no_figure_of_a_line_of_detail_is_cut(width: int, text: str) -> None:
    [span] = detail_line(sample.main_sessions()[1], None, NOW, width)
    assert span.text == text


def test_a_count_that_cannot_be_true_keeps_its_word_where_the_reason_has_no_room() -> None:
    view = next(one for one in sample.main_sessions() if one.count.state is TokenState.SUSPECT)
    told = [detail_line(view, None, NOW, width)[0].text for width in range(20, 120)]
    assert any(text.endswith("312.0K suspect") for text in told)
    assert all("suspect" in text or "reported" in text for text in told if "312" in text)


# ---- one session -----------------------------------------------------------------------------


def test_a_session_shows_every_name_it_has() -> None:
    stored = sample.stored("main", "main", label="Stock", other_names=("[b]inv[/b]", "x\x1b[31m"))
    view = sample.view(stored, sample.fresh(1_000))
    assert "called      Stock · [b]inv[/b] · x" in lines(state_listing(view, None, NOW, 60))


def test_a_count_that_cannot_be_true_says_why() -> None:
    view = next(one for one in sample.main_sessions() if one.count.state is TokenState.SUSPECT)
    words = "312K reported > 200K window; transcript says 41K"
    assert f"suspect     {words}" in lines(state_listing(view, None, NOW, 80))
    assert words in "".join(span.text for span in detail_line(view, None, NOW))


def test_what_is_not_known_yet_says_so() -> None:
    view = sample.main_sessions()[3]
    text = lines(state_listing(view, None, NOW, 60))
    assert "checkpoint  reading" in text
    assert "growth      not known yet" in text
    assert fill_listing(None, NOW).empty == ("reading the whole transcript",)


def test_what_would_make_a_session_smaller_is_said_with_its_command() -> None:
    view = sample.view(sample.stored("work", "main"), sample.fresh(130_000))
    advised = replace(
        sample_details.detail(view),
        advice=(Advice("compact now", "memconsole compact k --dry-run"), Advice("fewer tools")),
    )
    text = lines(state_listing(view, advised, NOW, 100))
    assert "smaller     compact now: memconsole compact k --dry-run; fewer tools" in text
    fill = fill_listing(advised, NOW)
    assert {len(row.cells) for row in fill.rows} == {len(fill.columns)}
    assert windows_listing(None, NOW).empty == ("reading",)


def test_ended_windows_are_named_by_their_ids() -> None:
    view = sample.main_sessions()[0]
    listing = windows_listing(sample_details.detail(view), NOW)
    ids = [row.value[:8] for row in listing.rows]
    assert ids == [(view.session_id or "")[:8], "3f00ba4e", "9f00ba4e"]  # each of them once
    alone = windows_listing(replace(sample_details.detail(view), windows=()), NOW)
    assert [row.value[:8] for row in alone.rows] == ["3f00ba4e", "9f00ba4e"]


def test_a_helper_that_lives_has_not_ended_and_has_the_name_of_every_list() -> None:
    view, helper, *_ = sample.main_sessions()
    row = windows_listing(replace(sample_details.detail(view), related=(helper,)), NOW).rows[-1]
    assert [cell.text for cell in row.cells[:3]] == [session_name(helper), "goes on", UNICODE.none]


def test_a_giant_message_is_cut_and_can_be_copied_whole() -> None:
    view = sample.main_sessions()[0]
    transcript = sample_details.transcript(view)
    giant = replace(transcript.messages[1], text="word " * 20_000)
    shown_view = safe_transcript(replace(transcript, messages=(giant,)))
    rows = messages_listing(shown_view, NOW, 40).rows
    assert len(rows) < 210
    assert "more characters; y copies all" in rows[-1].cells[0].text
    assert len(rows[-1].value) > 99_000


def test_a_forecast_is_a_line_and_not_an_area() -> None:
    points = [(sample.ago(hours=6 - step), 60_000 + step * 5_000) for step in range(7)]
    course = Series(points, 150_000, sample.NOW, sample.NOW + timedelta(hours=12))
    drawn = ["".join(span.text for span in line) for line in plot(course, (60, 10), UNICODE, UTC)]
    columns = [column for column in range(60) if any(row[column] == "·" for row in drawn[:-1])]
    assert columns
    assert max(sum(row[column] == "·" for row in drawn[:-1]) for column in columns) <= 2
    labels = [row[:7].strip() for row in drawn[:-1]]
    assert [label for label in labels if label] == ["150K", "90K", "0"]


def test_too_few_points_make_no_plot() -> None:
    course = Series([(sample.NOW, 5)], 150_000, sample.NOW, None)
    assert plot(course, (60, 10), UNICODE, UTC) == []


# ---- memory ----------------------------------------------------------------------------------


def test_how_a_memory_grew_is_drawn_where_there_is_room_and_two_days_are_known() -> None:
    usual = sample.usual()
    [first, *others] = usual.agents
    assert first.pool is not None
    days = tuple(
        PoolDay(first.ref.id, (NOW.now - timedelta(days=ago)).date(), size, size // 4, marks)
        for ago, size, marks in (
            (6, 20_000, {"TODO": 5, "FACT": 1}),
            (3, 40_000, {}),
            (0, 62_000, {"TODO": 4, "FACT": 1, "DECISION": 3}),
        )
    )
    grown = replace(first, pool=replace(first.pool, trend=days))
    reading = replace(usual, agents=(grown, *others))

    assert "▂▂▂▄▄▄▇" in lines(agents_listing(reading, NOW), 70)[0]
    assert "▁" not in lines(agents_listing(reading, NOW), 35)[0]
    assert agents_listing(usual, NOW).columns[-1].title == "pool"
    shown = lines(memory_listing(reading, NOW, agent=grown), 40)
    assert "days ▂▂▂▄▄▄▇  +41 KB in 6 d" in shown
    assert "marked +3 DECISION, -1 TODO" in shown
    assert not [
        line for line in lines(memory_listing(usual, NOW, agent=first), 40) if "days" in line
    ]


@pytest.mark.parametrize(
    ("indexes", "shown"),
    [
        ((), None),
        ((status(), status(IndexState.MISSING)), None),
        ((status(lacking=1_200),), "vectors due 1,200  index 12 min old"),
        ((status(lacking=3), status(IndexState.UNAVAILABLE)), "vectors due ?  index 12 min old"),
        ((status(IndexState.UNAVAILABLE),), "vectors due ?  index ? old"),
        ((status(changed=2),), "vectors due 0  2 changed  index 12 min old"),
    ],
)
def test_chunks_that_wait_for_vectors_are_the_last_line_of_a_memory(
    indexes: tuple[IndexStatus, ...], shown: str | None
) -> None:
    usual = sample.usual()
    quiet = lines(memory_listing(usual, NOW, agent=usual.agents[0]), 40)
    told = lines(memory_listing(usual, NOW, agent=usual.agents[0], indexes=indexes), 40)
    assert told == [*quiet, *([] if shown is None else [shown])]


def test_a_pool_is_a_tree() -> None:
    assert [line.split("  ")[0] for line in lines(files_listing(sample.pool("main"), NOW), 40)] == [
        "ACTIVE_CONTEXT.md",
        "MEMORY.md",
        "memory/",
        "├ 2026-01-20.md",
        "├ 2026-01-25.md",
        "└ notes-latin1.md",
    ]
    assert files_listing(None, NOW).empty == ("no workspace",)
    assert markers_listing(None, NOW).empty == ("reading",)
    assert markers_listing((), NOW).empty == ("no line is marked",)


def test_checks_name_every_oddity() -> None:
    pool = replace(sample.pool("main"), notices=(Notice("twin", "two MEMORY.md files"),))
    text = lines(advice_listing(pool, MemoryAdvice((), 1, 1), NOW, 60))
    assert "two MEMORY.md files" in text
    assert "memory/notes-latin1.md: not UTF-8" in text


def test_a_spot_is_found_by_its_text_inside_its_lines() -> None:
    text = "\n".join(["# A", "the lock", "other", "the lock", "end"])
    file = read_file(text, "a.md", 40, is_plain=True)
    assert file is not None
    assert file.key_of(Location("a.md", 3, 5, "the lock")) == "4:0"
    assert file.key_of(Location("a.md", 3, 5, "gone")) == "3:0"
    assert file.key_of(Location("a.md", 2, 5)) == "2:0"
    assert read_file(None, "a.md", 40, is_plain=True) is None


def test_rendered_files_carry_no_links() -> None:
    file = read_file("[a](https://x.invalid) <https://y.invalid>", "a.md", 60, is_plain=False)
    assert file is not None
    text = "".join(cell.text for row in file.rows for cell in row.cells)
    assert "https://x.invalid" in text
    assert "\x1b" not in text


# ---- search ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("view", "words"),
    [
        (IndexView(), ("", "")),
        (IndexView((status(),)), ("1,204 chunks", "fresh · 12 min")),
        (IndexView((status(updated_at=sample.ago(seconds=59)),)), ("1,204 chunks", "fresh")),
        (IndexView((status(has_vectors=False),)), ("1,204 chunks", "fresh, words only · 12 min")),
        (IndexView((status(IndexState.STALE),)), ("1,204 chunks", "stale · 12 min")),
        (IndexView((status(), status(IndexState.MISSING))), ("1,204 chunks", "partly · 12 min")),
        (IndexView((status(IndexState.MISSING),)), ("", "no index yet")),
        (IndexView((status(IndexState.MISSING),), is_read_only=True), ("", "no index, read-only")),
        (IndexView((status(IndexState.UNAVAILABLE),)), ("", "could not look")),
        (IndexView((status(),), Building("main")), ("", "building")),
        (IndexView((status(),), Building("main", 1_200, 9_000)), ("", "building 1,200 of 9,000")),
    ],
    ids=lambda one: one[1] if isinstance(one, tuple) else "",
)
def test_the_title_says_what_the_index_is_worth(view: IndexView, words: tuple[str, str]) -> None:
    assert index_words(view, None, NOW) == words


def test_marks_move_with_what_is_masked() -> None:
    engine = FakeEngine()
    result = engine.search.find(
        Facets("main").request("database", NOW.now, is_typing=True, max_results=9)
    )
    hit = replace(
        result.hits[0], snippet="k: sk-ant-api03-" + "A1b2C3d4E5" * 9 + " database", marks=()
    )
    text, marks = shown(hit, result.query)
    assert "A1b2C3d4E5" not in text
    assert [text[start:end] for start, end in marks] == ["database"]
    assert could_look(result)


def test_the_line_with_most_of_the_words_is_meant() -> None:
    hit = found(Facets("main").request("lock disk", NOW.now, is_typing=True, max_results=9))[0]
    spot = location_of(hit, parse("lock disk"))
    assert (spot.path, spot.first, spot.last) == ("memory/2026-01-20.md", 12, 15)
    assert spot.text == "  because the thing that waits is the lock, not the disk"


def test_facets_go_round_and_rows_stand_for_them() -> None:
    facets, agents = Facets("main"), ("main", "work")
    assert next_choice("agent", facets, agents).agent_id == "work"
    assert next_choice("agent", replace(facets, agent_id="work"), agents).agent_id is None
    assert next_choice("agent", Facets("main"), ("main",)) == facets
    assert chosen("marker:TODO", facets, agents) == replace(facets, tag="TODO")
    assert chosen("marker:", facets, agents) is None
    assert set(choices(facets, agents)) == {"agent", "source", "marker", "date", "order"}
    on = [line for line in lines(facets_listing(facets, agents, NOW)) if line.startswith("●")]
    assert on == ["● main", "● as configured", "● any line", "● any time", "● best first"]


def test_a_preview_says_all_of_a_hit() -> None:
    request = Facets("main").request("database", NOW.now, is_typing=True, max_results=9)
    weak = replace(found(request)[2], source=Source.SESSIONS, is_archived=True, on_path=False)
    text = lines(hit_listing(weak, parse("database"), NOW, 60))
    assert text[0] == (
        "where     main · session · lines 33 to 33 · 2025-12-24 14:20 · archived"
        " · off the active path"
    )
    assert text[1] == "score     0.40   meaning ▃ .40   words   none   weak match"
    assert hit_listing(None, None, NOW, 60).empty == ("no result is selected",)


def test_queries_come_back_newest_first_each_once() -> None:
    queries = Queries()
    for text in ("a", "b", " ", "a"):
        queries.add(text)
    assert list(queries) == ["a", "b"]
    assert queries.before("") == "a"
    assert queries.before("a") == "b"
    assert queries.before("b") is None


def test_since_counts_from_now() -> None:
    request = Facets(days=7).request(
        "x", datetime(2026, 1, 8, tzinfo=UTC), is_typing=False, max_results=3
    )
    assert request.narrowing.since == datetime(2026, 1, 1, tzinfo=UTC)
    assert request.agent_id is None


def test_no_source_goes_without_a_word() -> None:
    assert {
        sessions_listing(
            replace(sample.usual(), era=replace(sample.usual().era, sessions=one)),
            NOW,
            agent_id="main",
        ).source
        for one in Storage
    } == {"files", "disk", "gateway"}


@pytest.mark.parametrize("is_of_all", [False, True])
def test_a_name_has_22_cells_before_other_columns_but_tokens_have_room(is_of_all: bool) -> None:
    snapshot = sample.usual()
    agent = None if is_of_all else "main"
    for width in range(30, 150):
        columns = sessions_listing(snapshot, NOW, agent_id=agent, width=width).columns
        fitted = fit(columns, width)
        names = [columns[place].title or columns[place].name for place in fitted.indexes]
        cells_of = dict(zip(names, fitted.widths, strict=True))
        assert cells_of["session"] >= 22 or names == ["session", "tokens", "state"], width
        assert {"tokens", "state"} <= set(names), width
