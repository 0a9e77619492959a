"""Parts of a corpus for training and testing, and series as arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import playhead
from playhead.corpus.reading.replays import shares


@pytest.fixture(scope="module")
def folder(
    tmp_path_factory: pytest.TempPathFactory, samples: dict[str, bytes], write_games: Callable[..., list[Path]]
) -> Path:
    made = tmp_path_factory.mktemp("corpus")
    write_games(made, 6)
    (made / "match.dem").write_bytes(samples["source2"])
    (made / "race.teehistorian").write_bytes(samples["teehistorian"])
    return made


def test_places_are_spread_and_stay() -> None:
    parts = shares({"train": 0.8, "valid": 0.1}, seed=0)
    values = [f"{number:064x}" for number in range(10_000)]
    held = {name: {value for value in values if share(value)} for name, share in parts.items()}
    assert set.union(*held.values()) == set(values)
    assert sum(map(len, held.values())) == len(values)
    assert [round(len(held[name]) / len(values), 1) for name in ("train", "valid", "test")] == [0.8, 0.1, 0.1]
    other = shares({"train": 0.8, "valid": 0.1}, seed=1)
    assert {value for value in values if other["train"](value)} != held["train"]


@pytest.mark.parametrize("parts", [{}, {"train": 1.2}, {"train": 0.8, "valid": 0.3}, {"train": -0.1}])
def test_wrong_shares(parts: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="expected parts between 0 and 1"):
        shares(parts, 0)


def test_a_corpus_is_divided(folder: Path) -> None:
    whole = playhead.scan(folder, jobs=0)
    parts = whole.split(train=0.5, valid=0.25, seed=3)
    train, valid, test = parts
    assert parts.train is train is parts["train"]
    assert parts[2] is test is parts.test
    found = [item.id for part in (train, valid, test) for item in part.items]
    assert sorted(found) == sorted(item.id for item in whole.items)
    again = playhead.scan(folder, jobs=0).split(train=0.5, valid=0.25, seed=3)
    assert [item.id for item in again.train.items] == [item.id for item in train.items]
    fewer = playhead.scan(sorted(folder.glob("*.SC2Replay")), jobs=0).split(train=0.5, valid=0.25, seed=3)
    assert {item.id for item in fewer.train.items} <= {item.id for item in train.items}


def test_replays_of_one_map_stay_together(folder: Path) -> None:
    parts = playhead.scan(folder, jobs=0).split(train=0.5, by="map")
    maps = [set(part.info()["map"].to_pylist()) for part in parts]
    assert not set.intersection(*maps)
    with pytest.raises(KeyError, match="no column 'mpa'; did you mean map"):
        playhead.scan(folder, jobs=0).split(train=0.5, by="mpa")


def test_a_lake_is_divided_as_its_corpus(folder: Path, tmp_path: Path) -> None:
    corpus = playhead.scan(folder, jobs=0)
    corpus.export(tmp_path / "lake", tables=["info", "players", "player_series"])
    lake = playhead.open_lake(tmp_path / "lake")
    for by in ("replay", "map"):
        expected = [sorted(item.id for item in part.items) for part in corpus.split(train=0.5, by=by, seed=3)]
        parts = lake.split(train=0.5, by=by, seed=3)
        assert [sorted(part.replays) for part in parts] == expected
    series = parts.train.series(every="5s").read_all()
    assert set(series["replay"].to_pylist()) <= set(parts.train.replays)
    with pytest.raises(AttributeError, match=r"no part 'tran'; did you mean train\?"):
        _ = parts.tran
    with pytest.raises(KeyError, match="no column 'mpa'; did you mean map"):
        lake.split(train=0.5, by="mpa")
    assert lake.table("players", columns="name").equals(lake.table("players").select(["replay", "file", "name"]))
    with pytest.raises(KeyError, match="no column of players 'nme'; did you mean name"):
        lake.table("players", columns=["nme"])


def test_series_are_arrays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playhead.corpus.series.steps.BATCH_ROWS", 7)  # replays cross batches
    fields = ["x", "minerals"]
    corpus = playhead.scan(folder, jobs=0)
    rows = corpus.series(every="1s", fields=fields).read_all().to_pylist()
    arrays = list(corpus.series(every="1s", fields=fields).numpy())
    assert len(arrays) == len({row["replay"] for row in rows}) > 1
    known = 0
    for each in arrays:
        mine = [row for row in rows if row["replay"] == each.replay]
        assert {row["file"] for row in mine} == {each.file}
        assert each.values.shape == each.mask.shape == (len(each.players), len(each.seconds), 2)
        assert each.fields == tuple(fields)
        for row in mine:
            player, step = (
                np.searchsorted(each.players, row["player"]),
                np.searchsorted(each.seconds, row["seconds"]),
            )
            for place, name in enumerate(fields):
                value = each.values[player, step, place]
                assert each.mask[player, step, place] == (row[name] is not None)
                assert value == row[name] or (math.isnan(value) and row[name] is None)
        known += int(each.mask.sum())
    assert known == sum(row[name] is not None for row in rows for name in fields)
