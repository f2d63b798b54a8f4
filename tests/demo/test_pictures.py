"""The gallery: the same in every run, complete, and in need of nothing from anywhere."""

from __future__ import annotations

import asyncio
import json
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from tests.demo.pictures.__main__ import GALLERY
from tests.demo.pictures.drawing import Shot, film, still
from tests.demo.pictures.frame import Frame, Ground, Run
from tests.demo.pictures.recording import recording
from tests.demo.pictures.scenes import pictures

if TYPE_CHECKING:
    from pathlib import Path

FILL = "fill: #c8cdd3"
EMPTY = Frame(20, 2, "#101010", (), ())


@pytest.mark.slow
def test_two_runs_take_equal_pictures() -> None:
    first, second = asyncio.run(pictures()), asyncio.run(pictures())
    assert list(first) == list(second)
    assert [name for name in first if first[name] != second[name]] == []


@pytest.mark.parametrize("path", sorted(GALLERY.glob("*.svg")), ids=lambda path: path.name)
def test_a_picture_names_no_other_host(path: Path) -> None:
    text = path.read_text("utf-8")
    ET.fromstring(text)
    assert re.findall(r"https?://[^\"' )]+", text) == ["http://www.w3.org/2000/svg"]
    assert "url(" not in text
    assert "<script" not in text


def test_the_gallery_holds_what_the_readme_shows() -> None:
    readme = (GALLERY.parents[1] / "README.md").read_text("utf-8")
    shown = set(re.findall(r"docs/pictures/([\w.-]+)", readme))
    assert {"overview-120x40.svg", "tour.svg"} <= shown
    assert {name for name in shown if not (GALLERY / name).exists()} == set()


def test_a_still_keeps_text_apart_from_markup() -> None:
    frame = Frame(20, 1, "#101010", (Run(0, 2, 6, "<b>&co", FILL),), (Ground(0, 0, 4, "#222222"),))
    text = still(frame, "a <title>")
    [drawn] = [one for one in ET.fromstring(text).iter() if one.text == "<b>&co"]
    assert drawn.get("x") == "16.8"
    assert '<rect x="0" y="0" width="33.6"' in text


def test_a_film_draws_what_frames_share_once_and_hides_the_rest() -> None:
    shared, early, late = (
        Run(0, 0, 3, "all", FILL),
        Run(1, 0, 1, "1", FILL),
        Run(1, 0, 1, "2", FILL),
    )
    shots = [
        Shot(Frame(20, 2, "#101010", (shared, early), ()), 1.0),
        Shot(Frame(20, 2, "#101010", (shared, late), ()), 3.0),
    ]
    text = film(shots, "film")
    assert text.count(">all<") == 1
    assert "0%{visibility:visible}25%{visibility:hidden}100%{visibility:hidden}" in text
    assert "0%{visibility:hidden}25%{visibility:visible}100%{visibility:visible}" in text
    assert "animation:4s step-end infinite" in text


def test_a_recording_is_an_asciicast() -> None:
    frame = Frame(20, 2, "#101010", (Run(1, 3, 2, "hi", FILL),), (Ground(1, 2, 6, "#222222"),))
    header, first, second, end = map(
        json.loads, recording([Shot(EMPTY, 1.5), Shot(frame, 0.5)], "t").splitlines()
    )
    assert (header["version"], header["width"], header["height"]) == (2, 20, 2)
    assert (first[0], second[0], end[0]) == (0.0, 1.5, 2.0)
    assert second[2].endswith("\x1b[2;4H\x1b[48;2;34;34;34;38;2;200;205;211mhi\x1b[0m")
