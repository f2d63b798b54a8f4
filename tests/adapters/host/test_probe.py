"""Disks, sizes, processes, locks and the platform's records, from this very host."""

from __future__ import annotations

import json
import os
import shutil
import sys
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.host.probe import Host
from memconsole.adapters.locks import FileLocks, HeldLocks
from memconsole.adapters.platform.cron_runs import PlatformCron
from memconsole.adapters.platform.home import home_of_process
from memconsole.adapters.sqlite.own import open_own
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.domain.agents import Era, Home, PlatformConfig
from memconsole.domain.health import CronErrors
from tests.doubles.platform import NOW

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

HOUR = timedelta(hours=1)
MS = int(NOW.timestamp() * 1000)


def test_a_disk_says_how_full_it_is(tmp_path: Path) -> None:
    percent = Host().disk_percent(tmp_path)
    assert percent is not None
    assert 0 <= percent <= 100
    assert Host().disk_percent(tmp_path / "none") is None


def test_files_are_added_up_and_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "one").write_bytes(b"x" * 100)
    (tmp_path / "a" / "b" / "two").write_bytes(b"x" * 23)
    (tmp_path / "a" / "loop").symlink_to(tmp_path / "a")
    assert Host().tree_bytes([tmp_path / "a", tmp_path / "none"]) == 123
    assert Host().tree_bytes([tmp_path / "none"]) is None


def test_this_process_is_among_the_processes() -> None:
    lines = Host().command_lines()
    assert lines is not None
    assert "python" in lines[os.getpid()] or sys.executable in lines[os.getpid()]


@pytest.mark.skipif(shutil.which("ps") is None, reason="this host has no ps")
def test_where_there_is_no_proc_ps_is_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("memconsole.adapters.host.probe._PROC", tmp_path)
    lines = Host().command_lines()
    assert lines is not None
    assert "python" in lines[os.getpid()]


def test_a_process_says_which_home_it_serves(tmp_path: Path) -> None:
    def says(found: Path | None) -> Host:
        def home_of(environ: Mapping[str, str], words: Sequence[str]) -> Path | None:
            assert environ["PATH"]
            assert words
            return found

        return Host(home_of)

    assert says(tmp_path).serves(os.getpid(), tmp_path) is True
    assert says(tmp_path.parent).serves(os.getpid(), tmp_path) is False
    assert says(None).serves(os.getpid(), tmp_path) is None
    assert says(tmp_path).serves(2**22 + 1, tmp_path) is None
    assert Host().serves(os.getpid(), tmp_path) is None


@pytest.mark.parametrize(
    ("environ", "words", "name"),
    [
        ({}, ("openclaw", "gateway"), ".openclaw"),
        ({}, ("openclaw", "--profile", "two", "gateway"), ".openclaw-two"),
        ({}, ("openclaw", "--profile=two", "gateway"), ".openclaw-two"),
        ({"OPENCLAW_PROFILE": "two"}, ("openclaw",), ".openclaw-two"),
        ({"OPENCLAW_STATE_DIR": "~/elsewhere"}, ("openclaw",), "elsewhere"),
        ({"OPENCLAW_STATE_DIR": "/not/there", "HOME": "relative"}, ("openclaw",), None),
    ],
)
def test_the_home_of_a_process(
    environ: dict[str, str], words: tuple[str, ...], name: str | None, tmp_path: Path
) -> None:
    for one in (".openclaw", ".openclaw-two", "elsewhere"):
        (tmp_path / one).mkdir()
    found = home_of_process({"HOME": str(tmp_path), **environ}, words)
    assert found == (None if name is None else tmp_path / name)


def test_held_locks_are_listed_with_their_owner(tmp_path: Path) -> None:
    locks, held = FileLocks(tmp_path / "locks", lambda: NOW), HeldLocks(tmp_path / "locks")
    assert held.held() == ()
    with locks.workspace(tmp_path):
        [one] = held.held()
        assert one.since == NOW
        assert str(os.getpid()) in one.owner
    assert held.held() == ()


class TestCron:
    def home(self, tmp_path: Path) -> Home:
        return Home(tmp_path, PlatformConfig(), (), Era(), (), NOW)

    def errors(self, tmp_path: Path) -> CronErrors | None:
        return PlatformCron(PrivateCopies()).errors(self.home(tmp_path), NOW - HOUR)

    def test_without_a_record_it_is_unknown(self, tmp_path: Path) -> None:
        assert self.errors(tmp_path) is None

    def test_files_are_read_from_their_end_and_damage_is_passed(self, tmp_path: Path) -> None:
        folder = tmp_path / "cron" / "runs"
        folder.mkdir(parents=True)
        runs = [
            {"ts": MS - 7_200_000, "jobId": "old", "status": "error"},
            {"ts": MS, "jobId": "fine", "status": "ok"},
            {"ts": MS, "jobId": "nightly", "status": "error"},
            {"ts": MS, "jobId": "nightly", "status": "error"},
        ]
        text = "".join(f"{json.dumps(one)}\n" for one in runs)
        (folder / "a.jsonl").write_text("{torn" + "x" * 300_000 + "\n" + text)
        assert self.errors(tmp_path) == CronErrors(2, ("nightly",))

    @pytest.mark.parametrize(
        ("table", "columns"),
        [
            ("cron_run_receipts", "job_id TEXT, status TEXT, finished_at_ms INTEGER"),
            ("cron_run_logs", "job_id TEXT, status TEXT, ts INTEGER"),
        ],
    )
    def test_databases_of_both_kinds_are_read(
        self, table: str, columns: str, tmp_path: Path
    ) -> None:
        (tmp_path / "state").mkdir()
        with open_own(tmp_path / "state" / "openclaw.sqlite") as connection:
            connection.execute(f"CREATE TABLE {table} ({columns})")
            rows = [("a", "error", MS), ("b", "ok", MS), ("c", "error", MS - 7_200_000)]
            connection.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)", rows)
        assert self.errors(tmp_path) == CronErrors(1, ("a",))

    def test_any_way_to_write_a_time_is_read_and_the_rest_is_counted(self, tmp_path: Path) -> None:
        folder = tmp_path / "cron" / "runs"
        folder.mkdir(parents=True)
        times = [MS * 1000, f"{MS}", NOW.isoformat(), -5, "soon", None]
        runs = [{"ts": one, "jobId": f"j{n}", "status": "error"} for n, one in enumerate(times)]
        (folder / "a.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in runs))
        (tmp_path / "state").mkdir()
        with open_own(tmp_path / "state" / "openclaw.sqlite") as connection:
            connection.execute("CREATE TABLE cron_run_logs (job_id TEXT, status TEXT, ts)")
            rows: list[tuple[str, str, int | str]]
            rows = [("k1", "error", MS * 1000), ("k2", "error", "soon"), ("k3", "error", -5)]
            connection.executemany("INSERT INTO cron_run_logs VALUES (?, ?, ?)", rows)
        assert self.errors(tmp_path) == CronErrors(4, ("j0", "j1", "j2", "k1"), undated=5)

    def test_a_database_that_is_none_is_unknown(self, tmp_path: Path) -> None:
        (tmp_path / "state").mkdir()
        (tmp_path / "state" / "openclaw.sqlite").write_bytes(b"no database" * 100)
        assert self.errors(tmp_path) is None


@pytest.mark.shared
@pytest.mark.parametrize("release", ["clawdbot-2026.1", "openclaw-2026.7", "openclaw-2026.9"])
def test_recorded_homes_have_a_readable_record(release: str, shared: Path) -> None:
    [home] = [
        one
        for one in (shared / "fixtures" / release / "home").iterdir()
        if one.name.startswith((".openclaw", ".clawdbot"))
    ]
    found = PlatformCron(PrivateCopies()).errors(
        Home(home, PlatformConfig(), (), Era(), (), NOW), NOW - 100 * 365 * 24 * HOUR
    )
    assert found is not None
    assert found.count == (1 if release == "openclaw-2026.7" else 0)
