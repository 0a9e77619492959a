"""Declared presentations: their parts fit together, and replays without one are shown too."""

from __future__ import annotations

import importlib.metadata
import json
import re
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import playhead
from playhead import registry
from playhead.cs2.presentation import PRESENTATION as CS2
from playhead.deadlock.presentation import PRESENTATION as DEADLOCK
from playhead.dota2.presentation import PRESENTATION as DOTA2
from playhead.hots.presentation import PRESENTATION as HOTS
from playhead.presentation import Presentation
from playhead.presentation.map import LAYERS, LEGEND_SYMBOLS
from playhead.sc2.presentation import PRESENTATION as SC2
from playhead.show.cast import contrast_with_white
from playhead.source2.presentation import PRESENTATION as SOURCE2
from playhead.teehistorian.presentation import PRESENTATION as TEEHISTORIAN
from playhead.view import write_report
from playhead.web.shelf import open_match

VIEWER = Path(__file__).parents[2] / "viewer"
TOY = Path(__file__).parents[2] / "examples" / "toy_format"
ALL = {
    "none": Presentation(),
    "source2": SOURCE2,
    "cs2": CS2,
    "deadlock": DEADLOCK,
    "dota2": DOTA2,
    "sc2": SC2,
    "hots": HOTS,
    "teehistorian": TEEHISTORIAN,
}
FORMATS = {
    "source2": (SOURCE2, CS2, DEADLOCK, DOTA2),
    "sc2": (SC2,),
    "hots": (HOTS,),
    "teehistorian": (TEEHISTORIAN,),
}


@pytest.fixture(params=ALL)
def presentation(request: pytest.FixtureRequest) -> Presentation:
    return ALL[request.param]


def test_the_page_knows_every_layer_symbol_and_shape(presentation: Presentation) -> None:
    look = presentation.map
    assert set(look.layers) <= set(LAYERS)
    assert {symbol for symbol, _ in look.legend} <= set(LEGEND_SYMBOLS)
    assert {style.shape for style in look.mark_styles.values()} <= {"outline", "block", "disc"}
    style = (VIEWER / "src" / "page.css").read_text(encoding="utf-8")
    assert all(f".legend .{symbol}" in style for symbol in LEGEND_SYMBOLS)


def test_plots_and_the_page_measure_the_same_contrast() -> None:
    """The page's own test reads the same file."""
    expected = json.loads((VIEWER / "test" / "contrast.json").read_text(encoding="utf-8"))
    assert {colour: pytest.approx(contrast_with_white(colour), abs=1e-3) for colour in expected} == expected


def test_jumps_have_letters_of_their_own(presentation: Presentation) -> None:
    commands = (VIEWER / "src" / "keys.ts").read_text(encoding="utf-8").split("const COMMANDS")[1].split("\n};")[0]
    taken = set(re.findall(r"^  ([a-z]):", commands, re.MULTILINE))
    assert "k" in taken
    keys = [jump.key for jump in presentation.feed.jumps]
    assert len(set(keys)) == len(keys)
    assert all(re.fullmatch("[a-z]", key) for key in keys)
    assert not taken & set(keys)


def test_curves_are_fields_of_the_series(presentation: Presentation) -> None:
    sources = [source.fields.keys() for source in presentation.series]
    assert all(any(set(fields) <= known for known in sources) for fields in presentation.curves.values())


def test_regular_expressions_are_valid_and_match_no_empty_text(presentation: Presentation) -> None:
    wording = presentation.wording
    for pattern in filter(None, (wording.prefixes, wording.class_prefixes, wording.hidden_names)):
        assert re.match(pattern, "") is None


def test_the_part_for_the_page_is_json(presentation: Presentation) -> None:
    found = presentation.as_dict()
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize("name", FORMATS)
def test_events_and_tables_are_those_of_the_format(name: str) -> None:
    words = next(each for each in registry.list_formats() if each.name == name).vocabulary()
    for presentation in FORMATS[name]:
        feed = presentation.feed
        known = set(words.event_kinds)
        assert set(feed.notable) <= known
        assert {*feed.words, *feed.units, *feed.durations} <= known
        assert set(presentation.report_tables) <= {"info", "players", "chat"} | words.tables


def test_a_format_without_presentation_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("toy", "playhead_toy:FORMAT", registry.ENTRY_POINT_GROUP)
    monkeypatch.syspath_prepend(str(TOY))
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [entry] if group == entry.group else [])
    registry._third_party.cache_clear()
    try:
        path = entry.load().write_sample(tmp_path)
        match = open_match(str(path))
        summary = match.summary()
        assert not summary["has_map"]
        assert summary["notable"] == list(playhead.open(path).event_kinds)
        assert match.events(tuple(summary["notable"]))["columns"]["tick"]
        assert match.ground()["bounds"] is None
        assert write_report(playhead.open(path), tmp_path / "toy.html") > 100_000
    finally:
        registry._third_party.cache_clear()
