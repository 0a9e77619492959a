"""Players at fixed steps: rows of tables brought to common times, from replays and from lakes."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.samples.sc2 import replay as sample
from tests.samples.sc2.events import sample_streams

import playhead
from playhead.blizzard.protocol.tables import TRACKER
from playhead.corpus import compact
from playhead.corpus.series.steps import Steps, align, fields_by_game
from playhead.corpus.writing.decode import decode
from playhead.corpus.writing.shards import Running
from playhead.errors import LimitExceeded
from playhead.limits import Limits
from playhead.presentation import SeriesSource
from playhead.sc2.protocol.tables import protocol_table

#: Folders of these tests hold a replay that cannot be read.
pytestmark = pytest.mark.filterwarnings("ignore:.*add no rows")

PLACES = SeriesSource("positions", {"x": ("x",)}, gone=("event", "gone"))
SECONDS = SeriesSource("player_series", {"x": ("x",)}, step=1.0, sampled=True)
KEYS = SeriesSource("inputs", {"jump": ("jump",), "total": ("one", "other")})


def places(*rows: tuple[float | None, int | None, float, str]) -> pa.Table:
    names = ["seconds", "player", "x", "event"]
    types = [pa.float64(), pa.int32(), pa.float64(), pa.string()]
    return pa.table({name: pa.array([row[i] for row in rows], types[i]) for i, name in enumerate(names)})


def series(table: pa.Table, field: str = "x") -> list[tuple[int, float, float | None]]:
    return list(zip(*(table[name].to_pylist() for name in ("player", "seconds", field)), strict=True))


def test_a_row_holds_until_the_next() -> None:
    table = places((0.4, 7, 1.0, "moved"), (2.0, 7, 2.0, "moved"), (2.1, 7, 3.0, "moved"), (2.9, 7, 4.0, "moved"))
    found = align(Steps(1.0, ("x",)), [(PLACES, ["x"], table)], 5.5, Limits())
    assert series(found) == [(7, 1.0, 1.0), (7, 2.0, 2.0), (7, 3.0, 4.0), (7, 4.0, 4.0), (7, 5.0, 4.0)]


def test_who_is_gone_has_unknown_steps_until_he_is_back() -> None:
    table = places(
        (0.0, 1, 5.0, "appeared"), (1.5, 1, 6.0, "gone"), (3.5, 1, 9.0, "appeared"), (4.5, 1, 9.0, "gone")
    )
    assert series(align(Steps(1.0, ("x",)), [(PLACES, ["x"], table)], 9.0, Limits())) == [
        (1, 0.0, 5.0),
        (1, 1.0, 5.0),
        (1, 2.0, None),
        (1, 3.0, None),
        (1, 4.0, 9.0),
    ]


@pytest.mark.parametrize(
    ("every", "expected"),
    [
        (1.0, [1.0, 2.0, 3.0, None, None, None, 7.0, 8.0, None, None, 11.0]),
        (3.0, [1.0, None, 7.0]),
        (0.5, [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, *[None] * 6, 7.0, 7.0, 8.0, 8.0, *[None] * 4, 11.0, 11.0]),
    ],
)
def test_a_row_of_a_step_holds_no_longer_than_the_step(every: float, expected: list[float | None]) -> None:
    """Who left has no steps; who was away has unknown ones."""
    rows = [(float(now), 1, now + 1.0, "") for now in (0, 1, 2, 6, 7, 10)]
    table = places(*rows, (0.0, 2, 0.0, ""), (20.0, 2, 0.0, ""))
    found = align(Steps(every, ("x",)), [(SECONDS, ["x"], table)], 20.0, Limits())
    assert [x for player, _, x in series(found) if player == 1] == expected


def test_ticks_that_are_no_part_of_a_step_leave_no_holes() -> None:
    table = places(*((8 * row / 30, 1, float(row), "") for row in range(20)))
    found = align(Steps(0.25, ("x",)), [(SECONDS, ["x"], table)], 5.0, Limits())
    assert None not in [x for *_, x in series(found)]


@pytest.mark.parametrize("fields", [("jump",), ("x", "jump")])
def test_who_is_gone_has_no_values_of_other_tables(fields: tuple[str, ...]) -> None:
    where = places(
        (1.0, 1, 5.0, "appeared"), (2.5, 1, 6.0, "gone"), (4.0, 1, 7.0, "appeared"), (5.5, 1, 7.0, "gone")
    )
    keys = pa.table({"seconds": [0.0, 3.0], "player": pa.array([1, 1], pa.int32()), "jump": [True, False]})
    parts = [(PLACES, [name for name in fields if name == "x"], where), (KEYS, ["jump"], keys)]
    found = align(Steps(1.0, fields), parts, 9.0, Limits())
    assert series(found, "jump") == [(1, 1.0, 1.0), (1, 2.0, 1.0), (1, 3.0, None), (1, 4.0, 0.0), (1, 5.0, 0.0)]
    assert [source.table for source, _ in Steps(1.0, ("jump",)).of("teehistorian", "ddnet")] == [
        "positions",
        "inputs",
    ]


@pytest.mark.parametrize("every", ["1s", "2.5s", "10s"])
def test_a_lake_has_the_steps_of_the_replays(every: str, tmp_path: Path) -> None:
    for known in playhead.list_formats():
        known.write_sample(tmp_path)
    corpus = playhead.scan(tmp_path, jobs=0)
    corpus.export(tmp_path / "lake", tables=["player_series", "positions", "inputs"])
    lake = playhead.open_lake(tmp_path / "lake")
    assert sorted_rows(lake.series(every=every)) == sorted_rows(corpus.series(every=every))
    table = corpus.filter(game="hots").table("player_series").to_pylist()
    rows = sorted_rows(lake.filter(game="hots").series(every=every, fields="level"))
    assert len(rows) > 4
    for row in rows:
        before = [each for each in table if each["player"] == row["player"] and each["seconds"] <= row["seconds"]]
        assert row["level"] == before[-1]["level"]
        assert row["seconds"] - before[-1]["seconds"] < 1


def test_a_gap_that_few_rows_pay_for_is_an_error() -> None:
    table = places((0.0, 1, 5.0, "appeared"), (1.0, 1, 5.0, "gone"), (9e6, 2, 5.0, "appeared"))
    with pytest.raises(LimitExceeded, match="series would have 9000001 steps"):
        align(Steps(1.0, ("x",)), [(PLACES, ["x"], table)], 9e6, Limits())


def test_steps_that_are_no_binary_fraction() -> None:
    table = places(*((tick / 30, 0, float(tick), "moved") for tick in range(301)))
    found = align(Steps(0.1, ("x",)), [(PLACES, ["x"], table)], 10.0, Limits())
    assert [x for _, _, x in series(found)] == [float(3 * step) for step in range(101)]


def test_tables_of_different_times_and_what_counts_nothing() -> None:
    keys = pa.table(
        {
            "seconds": [-0.1, 1.0, 3.0],
            "player": pa.array([2, 2, 3], pa.int32()),
            "jump": [True, False, True],
            "one": pa.array([None, 4, None], pa.int64()),
            "other": pa.array([None, None, 2], pa.int64()),
        }
    )
    where = places(
        (1.0, 2, 8.0, "moved"), (None, 2, 1.0, "moved"), (1.0, None, 1.0, "moved"), (4.0, 2, 1.0, "moved")
    )
    steps = Steps(1.0, ("x", "jump", "total", "gold"))
    found = align(
        steps,
        [(SeriesSource("positions", {"x": ("x",)}), ["x"], where), (KEYS, ["jump", "total"], keys)],
        3.0,
        Limits(),
    )
    assert found.schema.names == ["seconds", "player", "x", "jump", "total", "gold"]
    assert [tuple(row.values()) for row in found.to_pylist()] == [
        (0.0, 2, None, 1.0, None, None),
        (1.0, 2, 8.0, 0.0, 4.0, None),
        (2.0, 2, 8.0, 0.0, 4.0, None),
        (3.0, 2, 8.0, 0.0, 4.0, None),
        (3.0, 3, None, 1.0, 2.0, None),
    ]


@pytest.mark.parametrize("parts", [[], [(PLACES, ["x"], places())]])
def test_nothing_known(parts: list[Any]) -> None:
    found = align(Steps(1.0, ("x",)), parts, None, Limits())
    assert found.num_rows == 0
    assert found.column_names == ["seconds", "player", "x"]


ROWS = st.lists(
    st.tuples(st.integers(0, 80), st.integers(0, 2), st.integers(0, 9), st.sampled_from(["moved", "gone"])),
    max_size=25,
)


@given(ROWS, st.sampled_from([0.25, 1.0, 3.0]), st.integers(0, 20))
def test_aligned_as_one_would_by_hand(rows: list[tuple[int, int, int, str]], every: float, end: int) -> None:
    rows = sorted(rows, key=lambda row: row[0])
    table = places(*((tick / 8, player, float(x), event) for tick, player, x, event in rows))
    expected: list[tuple[int, float, float | None]] = []
    for player in sorted({row[1] for row in rows}):
        mine: list[tuple[int, float, float | None]] = []
        for step in range(int(end / every) + 1):
            before = [row for row in rows if row[1] == player and row[0] / 8 <= step * every]
            there = before and before[-1][3] != "gone"
            mine.append((player, step * every, float(before[-1][2]) if there else None))
        known = [place for place, (*_, x) in enumerate(mine) if x is not None]
        expected += mine[known[0] : known[-1] + 1] if known else []
    assert series(align(Steps(every, ("x",)), [(PLACES, ["x"], table)], float(end), Limits())) == expected


@pytest.fixture(scope="module")
def folder(
    tmp_path_factory: pytest.TempPathFactory, samples: dict[str, bytes], write_games: Callable[..., list[Path]]
) -> Path:
    made = tmp_path_factory.mktemp("corpus")
    write_games(made, 3)
    (made / "match.dem").write_bytes(samples["source2"])
    (made / "race.teehistorian").write_bytes(samples["teehistorian"])
    (made / "broken.SC2Replay").write_bytes(samples["sc2"][:40])
    return made


def sorted_rows(reader: pa.RecordBatchReader) -> list[dict[str, Any]]:
    return sorted(reader.read_all().to_pylist(), key=lambda row: (row["replay"], row["player"], row["seconds"]))


@pytest.mark.slow_interpreted
def test_values_are_those_of_the_tables(folder: Path) -> None:
    rows = sorted_rows(playhead.scan(folder, jobs=0).series(every="2s"))
    assert len({row["replay"] for row in rows}) == 5
    with playhead.open(folder / "match.dem") as match:
        table = match.table("player_series").to_pylist()
        known = {(row["seconds"], row["player"]): row for row in table if row["seconds"] % 2 == 0}
        mine = {(row["seconds"], row["player"]): row for row in rows if row["replay"] == match.content_hash}
    assert len(known) > 20
    assert mine.keys() == known.keys()
    for key, row in known.items():
        assert (mine[key]["net_worth"], mine[key]["x"]) == (row["net_worth"], row["x"])
        assert mine[key]["gold"] == (row["gold_reliable"] or 0) + row["gold_unreliable"]
        assert mine[key]["minerals"] is None
    with playhead.open(folder / "game0.SC2Replay") as game:
        stats = game.table("player_series").to_pylist()
        mine = {(row["seconds"], row["player"]): row for row in rows if row["replay"] == game.content_hash}
    assert mine
    for (seconds, player), row in mine.items():
        before = [each for each in stats if each["player"] == player and each["seconds"] <= seconds]
        last = before[-1]
        assert "creep_area" not in row
        assert row["minerals"] == last["minerals"]
        assert row["army_value"] == last["minerals_used_current_army"] + last["vespene_used_current_army"]


def test_a_field_that_must_be_named(folder: Path) -> None:
    corpus = playhead.scan(folder / "game0.SC2Replay", jobs=0)
    rows = sorted_rows(corpus.series(every="2s", fields=["minerals", "creep_area"]))
    assert {row["creep_area"] for row in rows if row["minerals"] is None} == {441}  # known from the start


@pytest.mark.slow_interpreted
def test_the_same_of_a_lake(folder: Path, tmp_path: Path) -> None:
    corpus = playhead.scan(folder, jobs=0)
    rows = sorted_rows(corpus.series(every="500ms", fields=["x", "y", "hook", "supply"]))
    assert {name for row in rows for name, value in row.items() if value is not None} >= {
        "x",
        "hook",
        "supply",
    }
    corpus.export(tmp_path, shard_inputs=2, tables=["positions", "inputs", "player_series"])
    del rows[:]
    rows += sorted_rows(corpus.series(every="500ms", fields=["x", "y", "hook", "supply"]))
    match = {row["replay"] for row in rows if str(row["file"]).endswith(".dem")}
    kept = [row for row in rows if row["replay"] not in match]  # whose table has steps of a second there
    for _ in range(2):
        lake = playhead.open_lake(tmp_path)
        again = sorted_rows(lake.series(every="500ms", fields=["x", "y", "hook", "supply"]))
        assert [row for row in again if row["replay"] not in match] == kept
        compact(tmp_path, keep_hours=0)
    corpus.export(tmp_path, shard_inputs=2, tables="player_series")
    lake = playhead.open_lake(tmp_path)
    assert sorted_rows(lake.series(fields="x")) == sorted_rows(corpus.series(fields=["x"]))


def test_each_game_has_its_own_sources() -> None:
    steps = Steps(1.0, ("gold", "souls", "money", "x"))
    chosen = {game: steps.of("source2", game) for game in ("dota2", "cs2", "deadlock", "another")}
    assert {game: [fields for _, fields in some] for game, some in chosen.items()} == {
        "dota2": [["gold", "x"]],
        "cs2": [["money", "x"]],
        "deadlock": [["souls", "x"]],
        "another": [],
    }
    assert chosen["deadlock"][0][0].fields["souls"] == ("souls",)
    assert len(steps.of("sc2", "sc2")) == 0
    assert [source.table for source, _ in steps.of("teehistorian", "ddnet")] == ["positions"]


@pytest.mark.slow_interpreted
def test_a_lake_without_such_tables(folder: Path, tmp_path: Path) -> None:
    playhead.scan(folder, jobs=0).export(tmp_path, tables="players")
    with pytest.raises(
        KeyError, match="none of the tables inputs, player_series, positions; it has info, players"
    ):
        playhead.open_lake(tmp_path).series()


@pytest.mark.slow_interpreted
def test_batches_are_read_as_they_are_asked_for(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    read = []

    def counting(order: Any, report: Any) -> Any:
        read.append(order.item.file)
        return decode(order, report)

    corpus = playhead.scan(sorted(folder.glob("game*")), jobs=0)
    corpus._running = Running(0, corpus._running.limits, counting)
    reader = corpus.series(fields="minerals")
    assert read == []
    first = reader.read_next_batch()
    assert first.num_rows
    assert len(read) == 1
    assert list(tmp_path.iterdir())
    del reader
    assert not list(tmp_path.iterdir())
    assert len(read) == 1


_WITHOUT_PANDAS = """
import sys
class Finder:
    def find_spec(self, name, *_):
        assert name != "pandas"
sys.meta_path.insert(0, Finder())
import playhead
corpus = playhead.scan(sys.argv[1], jobs=0)
corpus.filter(start_time=">1990-01-01")
assert list(corpus.series()) and list(corpus.series().numpy())
corpus.export(sys.argv[2], tables=["info", "positions", "inputs", "player_series"])
lake = playhead.open_lake(sys.argv[2])
assert list(lake.filter(format="*").series()) and lake.table("info").num_rows and lake.problems.num_rows
"""


@pytest.mark.long
@pytest.mark.slow_interpreted
def test_nothing_imports_pandas(folder: Path, tmp_path: Path) -> None:
    """It takes longer to import than a small lake to read."""
    command = [sys.executable, "-W", "ignore", "-c", _WITHOUT_PANDAS, str(folder), str(tmp_path / "lake")]
    subprocess.run(command, check=True)


@pytest.mark.long
def test_processes_make_no_difference(folder: Path) -> None:
    fields = ["minerals", "x", "net_worth"]
    one = playhead.scan(folder, jobs=0).series(every=4.0, fields=fields).read_all()
    assert playhead.scan(folder, jobs=2).series(every=4.0, fields=fields).read_all().equals(one)
    assert one["replay"].to_pylist() == sorted(one["replay"].to_pylist())


def test_what_is_asked_for_has_to_be_there(folder: Path) -> None:
    corpus = playhead.scan(folder, jobs=0)
    with pytest.raises(KeyError, match=r"no field 'mineral'; did you mean minerals[^;]*$"):
        corpus.series(fields=["mineral"])
    with pytest.raises(ValueError, match="expected the name of a field"):
        corpus.series(fields=[])
    for wrong in (1, "30 ticks", None, "often"):
        with pytest.raises(ValueError, match=r"expected (a step|an interval)"):
            corpus.series(every=wrong)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("default")
def test_games_without_the_fields_are_named(folder: Path, tmp_path: Path) -> None:
    corpus = playhead.scan([folder / "race.teehistorian", *sorted(folder.glob("game*"))[:2]], jobs=0)
    corpus.export(tmp_path, tables=["positions", "player_series"])
    for many in corpus, playhead.open_lake(tmp_path):
        with pytest.warns(
            UserWarning, match=r"2 of 3 replays add no rows .*; sc2 has none of x, y, but minerals, "
        ):
            many.series(fields=["x", "y"]).read_all()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            many.series(fields=["x", "minerals"]).read_all()


@pytest.mark.filterwarnings("default")
def test_failed_inputs_are_counted_by_reason(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "a.dem").write_bytes(b"no replay")
    corpus = playhead.scan([tmp_path / "a.dem", folder / "broken.SC2Replay", folder / "race.teehistorian"], jobs=0)
    with pytest.warns(
        UserWarning, match=r"2 of 3 inputs add no rows \(1 \w+, 1 \w+; `problems` lists all\), the first"
    ):
        corpus.series(fields="x").read_all()


def test_recordings_that_leave_the_fields_empty_say_why(tmp_path: Path) -> None:
    streams = sample_streams(protocol_table(sample.HEADER.base_build, sample.HEADER.build))
    (tmp_path / "old.SC2Replay").write_bytes(sample.archive(sample.HEADER, {**streams, TRACKER: b""}))
    with pytest.raises(
        KeyError, match=r"no replay of 1 has army_value: sc2 has them, but no row .*; .*old.SC2Replay: "
    ):
        playhead.scan(tmp_path, jobs=0).series(fields=["army_value"]).read_all()


def test_fields_of_each_game() -> None:
    fields = fields_by_game()
    assert {"gold", "net_worth", "xp", "level", "x", "y"} <= set(fields["dota2"])
    assert {"money", "equipment_value", "x", "y", "z"} <= set(fields["cs2"])
    assert {"souls", "net_worth", "level", "x", "y"} <= set(fields["deadlock"])
    assert {"minerals", "vespene", "supply", "army_value"} <= set(fields["sc2"])
    assert {"x", "y", "hook"} <= set(fields["teehistorian"])


def test_the_page_lists_the_fields() -> None:
    page = (Path(__file__).parents[2] / "docs" / "corpus.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| (Source 2, \w+|StarCraft II|Heroes of the Storm|teehistorian)\b.*? \| (`.*`) \|$", page, re.MULTILINE
    )
    told = {name: tuple(fields.replace("`", "").split(", ")) for name, fields in rows}
    known = fields_by_game()
    assert len(known) == len(told)
    assert told == {
        "Source 2, Dota": known["dota2"],
        "Source 2, CS2": known["cs2"],
        "Source 2, Deadlock": known["deadlock"],
        "StarCraft II": known["sc2"],
        "Heroes of the Storm": known["hots"],
        "teehistorian": known["teehistorian"],
    }
