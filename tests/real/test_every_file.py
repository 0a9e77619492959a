"""Every file of the corpus either opens with the right format or is refused with the right typed error."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import playhead

# Path suffix -> format of replays; all other files of the corpus must be refused.
REPLAYS = {
    ".sc2replay": "sc2",
    ".sc2replay.xz": "sc2",
    ".stormreplay": "hots",
    ".dem": "source2",
    ".dem.xz": "source2",
    ".teehistorian": "teehistorian",
    ".teehistorian.xz": "teehistorian",
    ".demo": "ddnet_demo",
    ".demo.xz": "ddnet_demo",
}
REFUSED = {
    "source2/dota2_source1_2013.dem": (playhead.UnsupportedVersion, "Source 1"),
    "source2/dota2_workshop_alpha_2014.dem": (playhead.UnsupportedVersion, "2014"),
}


def _expected(path: Path) -> str | None:
    return next((name for suffix, name in REPLAYS.items() if path.name.lower().endswith(suffix)), None)


@pytest.mark.long
def test_every_replay_opens_or_is_refused_by_name(corpus: Path, step: int) -> None:
    opened: Counter[str] = Counter()
    replays = [path for path in sorted(corpus.rglob("*")) if _expected(path) is not None and not path.is_dir()]
    for path in replays[::step]:
        expected = _expected(path)
        key = path.relative_to(corpus).as_posix()
        if key in REFUSED:
            kind, words = REFUSED[key]
            with pytest.raises(kind, match=words) as caught:
                playhead.open(path)
            assert caught.value.file == str(path)
            continue
        replay = playhead.open(path)
        assert replay.format == expected, key
        assert replay.info.duration_ticks is not None, key
        opened[replay.format] += 1
    assert opened["sc2"] >= 330 // step
    assert opened["hots"] >= 9 // step - 1
    assert opened["source2"] >= 5 // step
    assert opened["teehistorian"] >= 27 // step


def test_everything_else_is_refused(corpus: Path) -> None:
    seen = 0
    for path in sorted(corpus.rglob("*")):
        if path.is_dir() or _expected(path) is not None or "hostile" in path.parts:
            continue
        with pytest.raises(playhead.UnknownFormat):
            playhead.open(path)
        seen += 1
    assert seen > 100


def test_folders_are_refused(corpus: Path) -> None:
    with pytest.raises(playhead.UnknownFormat, match="directory"):
        playhead.open(corpus)


def test_no_file_is_needed_under_its_own_name(corpus: Path, tmp_path: Path) -> None:
    for path in (
        corpus / "source2" / "cs2_14132.dem",
        next((corpus / "teehistorian").rglob("*.teehistorian")),
        next((corpus / "sc2").rglob("*.SC2Replay")),
    ):
        renamed = tmp_path / "picture.jpg"
        renamed.write_bytes(path.read_bytes())
        assert playhead.open(renamed).format == _expected(path)
        assert playhead.open(renamed.read_bytes()).format == _expected(path)
