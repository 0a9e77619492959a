"""Where two replays differ."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pytest
from tests.opened import open_as

import playhead
from playhead.compare import Difference, compare


def test_a_replay_is_the_same_as_itself(samples: Mapping[str, Path]) -> None:
    for path in samples.values():
        assert list(compare(playhead.open(path), playhead.open(path.read_bytes()))) == []


def test_anonymizing_changes_names_and_nothing_of_the_game(samples: Mapping[str, Path]) -> None:
    from playhead.sc2.replay import Sc2Replay
    from playhead.sc2.writing import anonymize

    replay = open_as(Sc2Replay, samples["sc2"])
    found = list(compare(replay, playhead.open(anonymize(replay.recording, salt=b"x").data)))
    parts = {difference.part for difference in found}
    assert {"players", "table chat"} <= parts
    assert not parts & {"table units", "table commands", "table positions", "table tracker_events"}
    names = [difference.first for difference in found if difference.what == "player 1, name"]
    assert names == [replay.players[0].name]


def test_two_formats_differ_in_their_tables(samples: Mapping[str, Path]) -> None:
    found = list(compare(playhead.open(samples["sc2"]), playhead.open(samples["teehistorian"])))
    assert Difference("info", "format", "sc2", "teehistorian") in found
    units = playhead.open(samples["sc2"]).table("units").num_rows
    assert Difference("table units", "rows", units, None) in found


def test_only_the_tables_that_are_asked_for(samples: Mapping[str, Path]) -> None:
    first, second = playhead.open(samples["sc2"]), playhead.open(samples["source2"])
    assert {difference.part for difference in compare(first, second, ["chat"])} == {"table chat"}
    with pytest.raises(KeyError, match="neither replay has a table 'nonsense'"):
        list(compare(first, second, ["nonsense"]))


def _with_table(path: Path, table: pa.Table) -> playhead.Replay:
    replay = playhead.open(path)
    replay._tables["sync"] = table
    return replay


@pytest.mark.parametrize("place", [0, 1, 777, 998, 999])
def test_the_first_differing_row_is_found(place: int, samples: Mapping[str, Path]) -> None:
    values = [math.nan] + [float(number) for number in range(999)]
    other = list(values)
    other[place] = -1.0
    other[999] = -2.0
    words = pa.array(["b", "a"] * 500).dictionary_encode()
    turned = pa.array(["a", "b", *["b", "a"] * 499]).dictionary_encode().slice(2)
    same_words = pa.chunked_array([words.slice(0, 2), turned])
    first = _with_table(samples["sc2"], pa.table({"value": values, "word": words}))
    second = _with_table(samples["sc2"], pa.table({"value": other, "word": same_words}))
    [difference] = compare(first, second, ["sync"])
    assert (difference.part, difference.what) == ("table sync", f"row {place}, value")
    assert difference.second == other[place]


def test_rows_columns_and_types(samples: Mapping[str, Path]) -> None:
    first = _with_table(samples["sc2"], pa.table({"a": [1, 2], "b": ["x", "y"]}))
    second = _with_table(samples["sc2"], pa.table({"a": [1.0], "b": ["x"], "c": [None]}))
    assert list(compare(first, second, ["sync"])) == [
        Difference("table sync", "columns", ["a", "b"], ["a", "b", "c"]),
        Difference("table sync", "type of a", "int64", "double"),
        Difference("table sync", "rows", 2, 1),
    ]
