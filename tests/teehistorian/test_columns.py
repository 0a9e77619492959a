"""Some columns of the large tables, read alone; pairs of tick and message that are kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.opened import open_as
from tests.samples.teehistorian import sample_bytes

import playhead
from playhead.teehistorian import passes as passes_module
from playhead.teehistorian.replay import TeehistorianReplay

LARGE = ("messages", "positions", "inputs")


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> TeehistorianReplay:
    """The sample, taken for a recording that is too large to keep what nobody asked for."""
    monkeypatch.setattr(passes_module, "_BOTH_BELOW", 0)
    return open_as(TeehistorianReplay, sample_bytes())


@pytest.mark.parametrize("name", LARGE)
def test_every_column_alone_is_that_of_the_whole_table(large: TeehistorianReplay, name: str) -> None:
    whole = playhead.open(sample_bytes()).table(name)
    for column in whole.column_names:
        part = large.table(name, columns=[column])
        assert part.equals(whole.select([column]), check_metadata=True), column
    some = [*whole.column_names[::-2], whole.column_names[0], whole.column_names[0]]
    assert large.table(name, columns=some).equals(whole.select(some), check_metadata=True)
    assert large.table(name, columns=[]).equals(whole.select([]))


def test_parts_of_several_tables_cost_one_pass_and_only_whole_ones_are_kept(
    large: TeehistorianReplay, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes = []
    real = TeehistorianReplay._feed
    monkeypatch.setattr(TeehistorianReplay, "_feed", lambda self, **how: passes.append(1) or real(self, **how))
    found = large.read_tables({"positions": ["tick", "x"], "inputs": ["tick", "jump"], "commands": None})
    assert len(passes) == 1
    assert found["positions"].column_names == ["tick", "x"]
    assert found["inputs"].column_names == ["tick", "jump"]
    assert set(large.tables_so_far) == {"commands"}
    large.table("commands")
    assert len(passes) == 1
    large.table("positions")
    large.table("positions", columns=["x"])
    assert len(passes) == 2


def test_of_a_small_recording_the_whole_table_is_kept() -> None:
    replay = playhead.open(sample_bytes())
    assert replay.read_tables({"positions": ["x"], "sessions": ["player"]})["sessions"].column_names == ["player"]
    assert {"positions", "sessions"} <= set(replay.tables_so_far)


def test_of_a_pipe_the_whole_table_is_kept(large: TeehistorianReplay, tmp_path: Path) -> None:
    path = tmp_path / "sample.teehistorian"
    path.write_bytes(sample_bytes())
    replay = playhead.open(path, stream=True)
    assert replay.table("positions", columns=["x"]).num_rows
    assert "positions" in replay.tables_so_far


def test_a_column_that_is_not_there_is_named(large: TeehistorianReplay) -> None:
    with pytest.raises(KeyError, match="height"):
        large.table("positions", columns=["height"])


def test_pairs_that_are_kept_do_not_change() -> None:
    replay = playhead.open(sample_bytes())
    kept = list(replay.messages())
    one_by_one = [(tick, repr(message)) for tick, message in replay.messages()]
    assert [(tick, repr(message)) for tick, message in kept] == one_by_one
    assert len(set(map(id, kept))) == len(kept)
    messages = replay.messages()
    first, second = next(messages), next(messages)
    assert first is not second


def test_pairs_are_right_whatever_a_loop_holds() -> None:
    expected = [(tick, repr(message)) for tick, message in list(playhead.open(sample_bytes()).messages())]
    for held in range(4):
        window: list[tuple[int, object]] = []
        found = []
        for pair in playhead.open(sample_bytes()).messages():
            window = [*window, pair][-held:] if held else []
            found.append((pair[0], repr(pair[1])))
            assert [(tick, repr(message)) for tick, message in window] == found[len(found) - len(window) :]
        assert found == expected
