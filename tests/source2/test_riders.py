"""Tables that ride along in the pass for another one: their rows are those of a pass of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.samples.dota2_match.recording import written as dota2

import playhead
from playhead.errors import CorruptReplay, ReplayError
from playhead.source2.game_replay import GameReplay
from playhead.source2.playback import riders
from playhead.source2.playback.riders import Riders


def opened(path: Path | bytes, **options: Any) -> GameReplay[Any]:
    replay = playhead.open(path, **options)
    assert isinstance(replay, GameReplay)
    return replay


def passes(replay: GameReplay[Any]) -> list[int]:
    """Return a list that grows by the number of collectors of each pass."""
    found: list[int] = []
    play = replay.play_for

    def counted(collectors: Any, **more: Any) -> None:
        found.append(len(collectors))
        play(collectors, **more)

    replay.play_for = counted  # type: ignore[method-assign]
    return found


@pytest.mark.long
@pytest.mark.slow_interpreted
@pytest.mark.parametrize("game", ["cs2", "deadlock", "dota2"])
def test_rows_are_equal(game: str, short_match: Callable[[str], Path]) -> None:
    path = dota2(4)[0] if game == "dota2" else short_match(game)
    with opened(path) as whole, opened(path) as asked:
        together: Mapping[str, pa.Table] = whole.read_tables()
        made = passes(asked)
        names = list(asked._registry().own())
        kinds = len(dict.fromkeys(asked._registry().own().values()))
        for number, name in enumerate(names[len(names) // 2 :] + names[: len(names) // 2]):
            assert asked.table(name).equals(together[name]), name
            if number % 12 == 0:
                with opened(path) as alone:
                    alone._riders.stay = False
                    assert alone.table(name).equals(together[name]), name
        assert len(made) < kinds / 2
        assert set(asked.problems_so_far) <= set(whole.problems_so_far)


@pytest.mark.slow_interpreted
def test_a_second_table_needs_no_pass(short_match: Callable[[str], Path]) -> None:
    with opened(short_match("cs2")) as replay:
        made = passes(replay)
        for name in ("kills", "damage", "rounds"):
            replay.table(name)
        assert len(made) == 1
        assert {"kills", "damage", "rounds"} == replay.tables_so_far.keys()
        replay.forget_tables("rounds")
        replay.table("rounds")
        assert len(made) == 2


@pytest.mark.slow_interpreted
def test_tables_that_few_ask_for_ride_last(short_match: Callable[[str], Path]) -> None:
    """Three passes make all sixteen tables of the benchmark, and no table that it does not name."""
    last = {"duels", "positions", "skins", "spotted"}
    with opened(short_match("cs2")) as replay:
        made = passes(replay)
        for name in ("kills", "shots", "grenades", "item_events", "player_stats", "player_series"):
            replay.table(name)
        assert len(made) == 3
        assert not last & replay._riders._kept.keys()
        replay.table("duels")
        assert len(made) == 4
        assert last - {"duels"} <= replay._riders._kept.keys()


@pytest.mark.slow_interpreted
def test_only_single_tables_have_riders(short_match: Callable[[str], Path]) -> None:
    with opened(short_match("cs2")) as replay:
        replay.read_tables(["kills"])
        assert replay._riders.passes == 0


class Broken(RuntimeError):
    pass


@pytest.mark.slow_interpreted
@pytest.mark.parametrize("strict", [False, True])
def test_a_rider_that_fails(
    strict: bool, short_match: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The asked table has all rows and no problem; the rider's own problem comes when its table is asked for."""
    from playhead.cs2.facts.fights.damage import Cs2Damage

    def fail(*_: Any) -> None:
        raise Broken

    monkeypatch.setattr(Cs2Damage, "_on_hurt", fail)
    with opened(short_match("cs2"), strict=strict) as replay:
        assert len(replay.table("kills")) > 0
        assert not replay.problems_so_far
        assert not replay._riders.stay
        if strict:
            with pytest.raises(ReplayError, match="Broken"):
                replay.table("damage")
            return
        assert len(replay.table("damage")) == 0
        (problem,) = replay.problems_so_far
        assert "table damage" in problem.cost


@pytest.mark.slow_interpreted
def test_a_rider_whose_table_cannot_be_built(
    short_match: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from playhead.cs2.facts.fights.damage import Cs2Damage

    def problem(self: Cs2Damage) -> Any:
        self.match.problem(CorruptReplay("odd"), 3, "all")
        return {}

    monkeypatch.setattr(Cs2Damage, "tables", problem)
    with opened(short_match("cs2")) as replay:
        replay.table("kills")
        assert not replay.problems_so_far
        assert "rounds" in replay._riders.take(["rounds", "damage"])


@pytest.mark.slow_interpreted
def test_problems_of_every_pass_disturb_none(short_match: Callable[[str], Path], tmp_path: Path) -> None:
    cut = tmp_path / "cut.dem"
    cut.write_bytes(short_match("cs2").read_bytes()[:-2000])
    with opened(cut) as replay:
        replay.table("kills")
        assert replay._riders.stay
        assert replay.problems_so_far


def test_kept_bytes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"tick": pa.array(range(100), pa.int64())})
    monkeypatch.setattr(riders, "KEPT", 2 * table.nbytes)
    kept = Riders()
    for name in "abc":
        kept.keep({name: table})
    assert list(kept.take("abc")) == ["b", "c"]
    assert not kept.take("abc")
    monkeypatch.setattr(riders, "LARGEST", table.nbytes - 1)
    kept.keep({"d": table})
    assert not kept.take("d")
