"""Names in any script: fonts that have it are taken, and what no font has is said once."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import playhead
from playhead import Replay

pytestmark = pytest.mark.slow_interpreted

matplotlib = pytest.importorskip("matplotlib", reason="plots are drawn with it")
matplotlib.use("Agg")
font_manager = pytest.importorskip("matplotlib.font_manager")

#: Private characters: no font of any system has them.
OURS = "\U000f7e57\U000f7e58"


def write_font(path: Path, family: str, characters: str) -> Path:
    """A font whose every character is a triangle."""
    from fontTools.fontBuilder import FontBuilder
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    names = [".notdef", *(f"u{ord(each):X}" for each in characters)]
    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    pen.lineTo((500, 0))
    pen.lineTo((250, 700))
    pen.closePath()
    glyph = pen.glyph()
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder(names)
    builder.setupCharacterMap({ord(each): f"u{ord(each):X}" for each in characters})
    builder.setupGlyf(dict.fromkeys(names, glyph))
    builder.setupHorizontalMetrics(dict.fromkeys(names, (600, 0)))
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": family, "styleName": "Regular"})
    builder.setupOS2()
    builder.setupPost()
    builder.save(path)
    return path


@pytest.fixture
def replay(samples: Mapping[str, Path]) -> Replay:
    """A replay of somebody whose name has a script of its own."""
    replay = playhead.open(samples["sc2"])
    first, second = replay.players
    replay.__dict__["players"] = (replace(first, name=f"Fay{OURS}"), second)
    return replay


@pytest.fixture
def no_new_fonts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fonts that a test adds are forgotten after it."""
    manager = font_manager.fontManager
    monkeypatch.setattr(manager, "ttflist", list(manager.ttflist))


@pytest.mark.long
@pytest.mark.usefixtures("no_new_fonts")
def test_a_font_that_has_the_script_is_taken(
    replay: Replay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that was installed after Matplotlib made its list of fonts. Warnings are errors here."""
    path = write_font(tmp_path / "ours.ttf", "Playhead Test", OURS)
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda: [str(path)])
    axes = replay.plot.economy("supply")
    axes.figure.canvas.draw()  # would warn of a missing glyph
    [label, _] = axes.figure.legends[0].get_texts()
    assert label.get_text() == f"Fay{OURS} (Terran)"
    assert label.get_fontfamily() == [*matplotlib.rcParams["font.family"], "Playhead Test"]
    assert OURS in axes.get_title(loc="left")
    for method in ("positions", "kills", "advantage", "build_order"):
        getattr(replay.plot, method)().figure.canvas.draw()


def test_without_a_font_one_warning_names_the_characters(replay: Replay) -> None:
    with pytest.warns(UserWarning, match=f"no installed font has {OURS}: drawn as □") as caught:
        axes = replay.plot.economy("supply")
    axes.figure.canvas.draw()
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert axes.figure.legends[0].get_texts()[0].get_text() == "Fay□□ (Terran)"


def test_what_has_no_shape_needs_no_font(samples: Mapping[str, Path]) -> None:
    replay = playhead.open(samples["sc2"])
    first, second = replay.players
    replay.__dict__["players"] = (replace(first, name="a\u200d\ufe0f\x07b"), second)
    axes = replay.plot.economy("supply")
    axes.figure.canvas.draw()
    assert axes.figure.legends[0].get_texts()[0].get_text() == "ab (Terran)"


@pytest.mark.usefixtures("no_new_fonts")
def test_fonts_of_boxes_are_passed_over(replay: Replay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_font(tmp_path / "boxes.ttf", "Last Resort", OURS)
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda: [str(path)])
    with pytest.warns(UserWarning, match="no installed font has"):
        replay.plot.economy("supply")


def test_names_of_a_real_match(corpus: Path) -> None:
    """Cyrillic, Han and an emoji; whatever fonts are installed, nothing warns while drawing."""
    replay = playhead.open(corpus / "source2/dota2_build9912_10bots.dem")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        axes = replay.plot.economy()
    assert len(caught) <= 1
    axes.figure.canvas.draw()
