"""The one writer: what it writes, and how."""

from __future__ import annotations

import codecs
import os
import stat
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.adapters.workspace.writer import DiskWorkspace
from memconsole.errors import ConcurrentEditError, WorkspaceError
from memconsole.text.markdown import addition, line_ending

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CONTEXT = "memory/ACTIVE_CONTEXT.md"
DAY = "memory/2026-04-12.md"
HEADER = "# main — 2026-04-12\n\n"
ENTRY = "### Checkpoint 08:10 (auto)\n\n- Session: `ab12cd34`\n\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir(mode=0o755)
    return folder


@pytest.fixture
def umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(root: Path) -> list[str]:
    return sorted(path.name for path in (root / "memory").iterdir())


class TestReplace:
    def test_a_new_file_is_whole_and_private(self, root: Path, umask: None) -> None:
        written = DiskWorkspace().replace(root, CONTEXT, "# Active\n", seen=None)
        assert (root / CONTEXT).read_bytes() == b"# Active\n"
        assert (written.path, written.size_bytes, written.mode) == (CONTEXT, 9, "0600")
        assert mode_of(root / CONTEXT) == 0o600
        assert mode_of(root / "memory") == 0o700
        assert names(root) == ["ACTIVE_CONTEXT.md"]

    def test_deeper_folders_are_private_too(self, root: Path) -> None:
        before = os.umask(0o277)
        try:
            DiskWorkspace().replace(root, "memory/archive/old/x.md", "x\n", seen=None)
        finally:
            os.umask(before)
        for folder in ("memory", "memory/archive", "memory/archive/old"):
            assert mode_of(root / folder) == 0o700

    @pytest.mark.parametrize(("old", "new"), [(0o644, 0o600), (0o400, 0o400), (0o600, 0o600)])
    def test_a_mode_only_gets_stricter(self, root: Path, old: int, new: int) -> None:
        workspace = DiskWorkspace()
        workspace.replace(root, CONTEXT, "one\n", seen=None)
        (root / CONTEXT).chmod(old)
        written = workspace.replace(root, CONTEXT, "two\n", seen=workspace.read(root, CONTEXT))
        assert mode_of(root / CONTEXT) == new
        assert written.mode == f"{new:04o}"
        assert (root / CONTEXT).read_text() == "two\n"

    def test_the_folder_of_others_keeps_its_mode(self, root: Path) -> None:
        (root / "memory").mkdir(mode=0o755)
        DiskWorkspace().replace(root, CONTEXT, "x\n", seen=None)
        assert mode_of(root / "memory") == 0o755

    @pytest.mark.parametrize("step", ["temporary-made", "temporary-written", "temporary-synced"])
    def test_an_edit_meanwhile_is_kept(self, root: Path, step: str) -> None:
        (root / "memory").mkdir()
        (root / CONTEXT).write_text("seen\n")

        def edit(now: str) -> None:
            if now == step:
                (root / CONTEXT).write_text("edited by hand\n")

        workspace = DiskWorkspace(edit)
        seen = workspace.read(root, CONTEXT)
        with pytest.raises(ConcurrentEditError, match="was changed by someone else"):
            workspace.replace(root, CONTEXT, "ours\n", seen=seen)
        assert (root / CONTEXT).read_text() == "edited by hand\n"
        assert names(root) == ["ACTIVE_CONTEXT.md"]

    def test_a_file_that_appears_meanwhile_is_kept(self, root: Path) -> None:
        def appear(now: str) -> None:
            if now == "temporary-synced":
                (root / CONTEXT).write_text("someone's\n")

        with pytest.raises(ConcurrentEditError):
            DiskWorkspace(appear).replace(root, CONTEXT, "ours\n", seen=None)
        assert (root / CONTEXT).read_text() == "someone's\n"

    def test_a_file_that_vanishes_meanwhile_is_an_edit_too(self, root: Path) -> None:
        workspace = DiskWorkspace()
        workspace.replace(root, CONTEXT, "one\n", seen=None)
        seen = workspace.read(root, CONTEXT)
        (root / CONTEXT).unlink()
        with pytest.raises(ConcurrentEditError):
            workspace.replace(root, CONTEXT, "two\n", seen=seen)
        assert not (root / CONTEXT).exists()

    def test_what_someone_else_wrote_right_behind_us_is_said(self, root: Path) -> None:
        def overwrite(now: str) -> None:
            if now == "replaced":
                (root / CONTEXT).write_text("theirs\n")

        with pytest.raises(WorkspaceError, match="is not what was written"):
            DiskWorkspace(overwrite).replace(root, CONTEXT, "ours\n", seen=None)

    def test_an_interrupted_replacement_leaves_nothing_behind(self, root: Path) -> None:
        def interrupt(now: str) -> None:
            if now == "temporary-synced":
                raise KeyboardInterrupt

        DiskWorkspace().replace(root, CONTEXT, "old\n", seen=None)
        workspace = DiskWorkspace(interrupt)
        with pytest.raises(KeyboardInterrupt):
            workspace.replace(root, CONTEXT, "new\n", seen=workspace.read(root, CONTEXT))
        assert (root / CONTEXT).read_text() == "old\n"
        assert names(root) == ["ACTIVE_CONTEXT.md"]


class TestRead:
    def test_what_was_written_is_read(self, root: Path) -> None:
        workspace = DiskWorkspace()
        workspace.replace(root, CONTEXT, "größe\n", seen=None)
        found = workspace.read(root, CONTEXT)
        assert found is not None
        assert found.text == "größe\n"
        assert found.version[:2] == ((root / CONTEXT).stat().st_mtime_ns, 8)

    def test_nothing_is_none_and_creates_nothing(self, root: Path) -> None:
        assert DiskWorkspace().read(root, CONTEXT) is None
        assert DiskWorkspace().read(root, "x.md") is None
        assert list(root.iterdir()) == []

    @pytest.mark.parametrize(
        ("data", "text"),
        [
            (b"caf\xe9\n", "caf\ufffd\n"),
            (codecs.BOM_UTF8 + "é\r\n".encode(), "é\r\n"),
            (codecs.BOM_UTF16_LE + "é\n".encode("utf-16-le"), "é\n"),
        ],
    )
    def test_other_encodings_are_read(self, root: Path, data: bytes, text: str) -> None:
        (root / "x.md").write_bytes(data)
        found = DiskWorkspace().read(root, "x.md")
        assert found is not None
        assert found.text == text

    def test_a_giant_file_is_not_read(self, root: Path) -> None:
        with (root / "x.md").open("wb") as file:
            file.truncate((16 << 20) + 1)
        with pytest.raises(WorkspaceError, match="more than 16 MB"):
            DiskWorkspace().read(root, "x.md")


class TestAppend:
    def test_a_new_log_starts_with_its_header(self, root: Path, umask: None) -> None:
        written = DiskWorkspace().append(root, DAY, ENTRY, header=HEADER)
        assert (root / DAY).read_text() == HEADER + ENTRY
        assert (written.path, written.mode) == (DAY, "0600")
        assert written.size_bytes == len((HEADER + ENTRY).encode())
        assert mode_of(root / DAY) == 0o600

    def test_an_empty_log_is_a_new_one(self, root: Path) -> None:
        (root / "memory").mkdir()
        (root / DAY).touch()
        DiskWorkspace().append(root, DAY, ENTRY, header=HEADER)
        assert (root / DAY).read_text() == HEADER + ENTRY

    def test_the_next_entry_has_no_header(self, root: Path) -> None:
        workspace = DiskWorkspace()
        workspace.append(root, DAY, ENTRY, header=HEADER)
        written = workspace.append(root, DAY, ENTRY, header=HEADER)
        assert (root / DAY).read_text() == HEADER + ENTRY + ENTRY
        assert written.size_bytes == len(ENTRY.encode())

    @pytest.mark.parametrize(
        ("old", "added"),
        [
            (b"note", b"\n### a\n\n- b\n"),
            (b"note\n", b"### a\n\n- b\n"),
            (b"one\r\ntwo", b"\r\n### a\r\n\r\n- b\r\n"),
            (b"one\r\ntwo\r\n", b"### a\r\n\r\n- b\r\n"),
            (b"one\r\ntwo\n", b"### a\n\n- b\n"),
            (b"one\rtwo\r", b"### a\r\r- b\r"),
            (b"\xef\xbb\xbfnote\n", b"### a\n\n- b\n"),
            (b"caf\xe9\n", b"### a\n\n- b\n"),
        ],
    )
    def test_the_entry_follows_the_line_ending(self, root: Path, old: bytes, added: bytes) -> None:
        (root / "x.md").write_bytes(old)
        DiskWorkspace().append(root, "x.md", "### a\n\n- b\n", header="no")
        assert (root / "x.md").read_bytes() == old + added

    @pytest.mark.parametrize(
        ("mark", "encoding"),
        [
            (codecs.BOM_UTF16_LE, "utf-16-le"),
            (codecs.BOM_UTF16_BE, "utf-16-be"),
            (codecs.BOM_UTF32_LE, "utf-32-le"),
            (codecs.BOM_UTF32_BE, "utf-32-be"),
        ],
    )
    def test_a_log_in_another_encoding_is_continued_in_it(
        self, root: Path, mark: bytes, encoding: str
    ) -> None:
        old = mark + "größe\r\n".encode(encoding)
        (root / "x.md").write_bytes(old)
        DiskWorkspace().append(root, "x.md", "- é\n", header="no")
        assert (root / "x.md").read_bytes() == old + "- é\r\n".encode(encoding)

    @pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
    def test_an_erasure_leaves_other_bytes_that_are_no_text(self, root: Path, mark: bytes) -> None:
        (root / "x.md").write_bytes(mark + b"- caf\xe9\r\n- tea\n- caf\xe9\r\n- \xff\n\xff")
        disk = DiskWorkspace()
        for gone in ("- tea\n", "- \ufffd\n", "\ufffd|"):
            seen = disk.read(root, "x.md")
            assert seen is not None
            text = f"{seen.text}|".replace(gone, "").rstrip("|")
            with pytest.raises(WorkspaceError, match="no text"):
                disk.edit(root, "x.md", text, seen=seen)
            disk.edit(root, "x.md", text, seen=seen, erases=True)
        assert (root / "x.md").read_bytes() == mark + b"- caf\xe9\r\n- caf\xe9\r\n"

    @pytest.mark.parametrize(
        "old", [b"- caf\xe9\n- caf\xe8\n- tea\n", codecs.BOM_UTF16_LE + b"a\0\n\0b"]
    )
    def test_an_erasure_that_cannot_tell_which_bytes_stay_is_refused(
        self, root: Path, old: bytes
    ) -> None:
        (root / "x.md").write_bytes(old)
        seen = DiskWorkspace().read(root, "x.md")
        with pytest.raises(WorkspaceError, match="no text"):
            DiskWorkspace().edit(root, "x.md", "- tea\n", seen=seen, erases=True)
        assert (root / "x.md").read_bytes() == old

    @pytest.mark.parametrize(
        "old",
        [
            b"a\0b\n",
            codecs.BOM_UTF16_LE + b"abc",
            codecs.BOM_UTF16_LE + b"- tea, and no UTF-16\n",
            codecs.BOM_UTF32_LE + b"abcdef",
        ],
    )
    def test_what_is_no_text_is_left_alone(self, root: Path, old: bytes) -> None:
        (root / "x.md").write_bytes(old)
        with pytest.raises(WorkspaceError, match="no text"):
            DiskWorkspace().append(root, "x.md", ENTRY, header="no")
        assert (root / "x.md").read_bytes() == old

    @given(old=st.binary(max_size=40), entry=st.text(max_size=20))
    def test_old_bytes_stay_a_prefix(
        self, tmp_path_factory: pytest.TempPathFactory, old: bytes, entry: str
    ) -> None:
        root = tmp_path_factory.mktemp("workspace")
        (root / "x.md").write_bytes(old)
        try:
            DiskWorkspace().append(root, "x.md", f"{entry}\n", header="# new\n")
        except WorkspaceError:
            assert (root / "x.md").read_bytes() == old
        else:
            assert (root / "x.md").read_bytes().startswith(old)
            assert len((root / "x.md").read_bytes()) > len(old)

    def test_an_existing_log_keeps_its_mode(self, root: Path) -> None:
        (root / "x.md").write_text("note\n")
        (root / "x.md").chmod(0o640)
        written = DiskWorkspace().append(root, "x.md", ENTRY, header=HEADER)
        assert mode_of(root / "x.md") == 0o640
        assert written.mode == "0640"

    def test_whether_a_read_only_log_can_be_continued_is_the_system_s_answer(
        self, root: Path
    ) -> None:
        (root / "x.md").write_text("note\n")
        (root / "x.md").chmod(0o440)
        if os.geteuid() == 0:
            DiskWorkspace().append(root, "x.md", ENTRY, header=HEADER)
            assert (root / "x.md").read_text() == f"note\n{ENTRY}"
            assert mode_of(root / "x.md") == 0o440
        else:
            with pytest.raises(WorkspaceError):
                DiskWorkspace().append(root, "x.md", ENTRY, header=HEADER)
            assert (root / "x.md").read_text() == "note\n"

    def test_a_long_log_is_judged_by_its_end(self, root: Path) -> None:
        (root / "x.md").write_bytes(b"old\r\n" * 10 + b"new\n" * 40_000)
        DiskWorkspace().append(root, "x.md", "- a\n", header="no")
        assert (root / "x.md").read_bytes().endswith(b"new\n- a\n")

    @pytest.mark.parametrize("step", ["written", "synced"])
    def test_an_interrupted_append_is_taken_back(self, root: Path, step: str) -> None:
        def interrupt(now: str) -> None:
            if now == step:
                raise KeyboardInterrupt

        (root / "x.md").write_text("note\n")
        with pytest.raises(KeyboardInterrupt):
            DiskWorkspace(interrupt).append(root, "x.md", ENTRY, header=HEADER)
        assert (root / "x.md").read_text() == "note\n"

    def test_an_interrupted_new_log_is_gone(self, root: Path) -> None:
        def interrupt(now: str) -> None:
            if now == "written":
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            DiskWorkspace(interrupt).append(root, DAY, ENTRY, header=HEADER)
        assert names(root) == []

    def test_what_others_added_behind_us_is_never_cut(self, root: Path) -> None:
        def add(now: str) -> None:
            if now == "written":
                with (root / "x.md").open("a") as file:
                    file.write("theirs\n")
                raise KeyboardInterrupt

        (root / "x.md").write_text("note\n")
        with pytest.raises(KeyboardInterrupt):
            DiskWorkspace(add).append(root, "x.md", "ours\n", header="no")
        assert (root / "x.md").read_text() == "note\nours\ntheirs\n"

    def test_a_log_that_was_rewritten_right_behind_us_is_said(self, root: Path) -> None:
        def rewrite(now: str) -> None:
            if now == "synced":
                (root / "x.md").write_text("")

        (root / "x.md").write_text("note\n")
        with pytest.raises(WorkspaceError, match="does not hold the entry"):
            DiskWorkspace(rewrite).append(root, "x.md", ENTRY, header=HEADER)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to others")
def test_what_root_writes_belongs_to_the_owner_of_the_place(root: Path) -> None:
    os.chown(root, 1234, 2345)
    workspace = DiskWorkspace()
    workspace.replace(root, CONTEXT, "one\n", seen=None)
    workspace.append(root, DAY, ENTRY, header=HEADER)
    os.chown(root / CONTEXT, 3456, 4567)
    workspace.replace(root, CONTEXT, "two\n", seen=workspace.read(root, CONTEXT))
    owners = {
        path.name: (path.stat().st_uid, path.stat().st_gid)
        for path in (root / "memory", root / DAY, root / CONTEXT)
    }
    assert owners == {
        "memory": (1234, 2345),
        "2026-04-12.md": (1234, 2345),
        "ACTIVE_CONTEXT.md": (3456, 4567),
    }


@given(st.text(alphabet="a\r\n", min_size=1, max_size=30), st.text(alphabet="b\n", max_size=9))
def test_an_addition_begins_on_its_own_line(tail: str, lines: str) -> None:
    entry = f"{lines}\n"
    whole = tail + addition(tail, entry, "# head\n")
    before = whole.removesuffix(entry.replace("\n", line_ending(tail)))
    assert before.startswith(tail)
    assert before.endswith(("\r", "\n"))
    assert len(before) - len(tail) <= 2


@given(st.text(max_size=9), st.sampled_from([None, ""]))
def test_an_addition_to_nothing_has_the_header(entry: str, tail: str | None) -> None:
    assert addition(tail, entry, "# head\n") == f"# head\n{entry}"
