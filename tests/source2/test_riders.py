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
from playhead.source2 import passes as passing
from playhead.source2.game_replay import GameReplay
from playhead.source2.passes import Riders


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
        assert not last & replay._riders.kept.keys()
        replay.table("duels")
        assert len(made) == 4
        assert last - {"duels"} <= replay._riders.kept.keys()


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
    from playhead.cs2.facts.shots import Cs2Damage

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
    from playhead.cs2.facts.shots import Cs2Damage

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


@pytest.fixture
def attached(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list that grows by the class of each collector of kills, damage or flashes that follows a pass."""
    from playhead.cs2.facts.grenades import Flashes
    from playhead.cs2.facts.kills import Cs2Kills
    from playhead.cs2.facts.shots import Cs2Damage

    found: list[str] = []
    for kind in (Cs2Damage, Cs2Kills, Flashes):

        def attach(self: Any, playback: Any, before: Any = kind.attach) -> None:
            found.append(type(self).__name__)
            before(self, playback)

        monkeypatch.setattr(kind, "attach", attach)
    return found


@pytest.mark.slow_interpreted
@pytest.mark.parametrize("by", ["", "round side"])
def test_statistics_read_the_tables_that_exist(
    by: str, short_match: Callable[[str], Path], attached: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kept tables serve as requested ones do; released and refused ones are made again."""
    options: dict[str, Any] = {"by": by} if by else {}
    path = short_match("cs2")
    with opened(path) as alone:
        expected = alone.table("player_stats", **options)
        clutches = alone.read_tables(["clutches"])["clutches"]
    assert attached
    with opened(path) as replay:
        replay.table("kills", raw="health", columns=["tick"])  # damage rides along
        attached.clear()
        assert replay.table("player_stats", **options).equals(expected)
        assert replay.table("clutches").equals(clutches)
        assert set(attached) == {"Flashes"}
        replay.table("shots")  # all cheap ones ride along
        replay.forget_tables("damage", "player_stats")
        attached.clear()
        assert replay.table("player_stats", **options).equals(expected)
        assert attached == ["Cs2Damage"]
    monkeypatch.setattr(passing, "KEPT", 0)
    with opened(path) as replay:
        replay.table("kills")
        attached.clear()
        assert replay.table("player_stats", **options).equals(expected)
        assert {*attached} == {"Cs2Damage", "Flashes"}


@pytest.mark.slow_interpreted
@pytest.mark.parametrize("strict", [False, True])
def test_statistics_of_damaged_recordings(
    strict: bool, short_match: Callable[[str], Path], attached: list[str]
) -> None:
    """Rows, errors and problems are those of each table alone: nothing is read from a pass with problems."""
    whole = short_match("cs2").read_bytes()

    def asked(replay: GameReplay[Any], name: str) -> pa.Table | str:
        try:
            return replay.table(name)
        except ReplayError as error:
            return str(error)

    for place in range(len(whole) // 3, len(whole), len(whole) // 5):
        data = whole[:place] + bytes(40) + whole[place + 40 :]
        problems = set()
        with opened(data, strict=strict) as replay:
            for name in ("kills", "damage", "flashes", "clutches", "player_stats"):
                attached.clear()
                found = asked(replay, name)
                assert "Cs2Kills" in attached or name in ("damage", "flashes", "clutches")
                with opened(data, strict=strict) as alone:
                    assert asked(alone, name) == found
                    problems.update(alone.problems_so_far)
            assert set(replay.problems_so_far) == problems
            assert problems or strict


def test_kept_bytes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"tick": pa.array(range(100), pa.int64())})
    monkeypatch.setattr(passing, "KEPT", 2 * table.nbytes)
    kept = Riders()
    for name in "abc":
        kept.keep({name: table})
    assert list(kept.take("abc")) == ["b", "c"]
    assert not kept.take("abc")
    monkeypatch.setattr(passing, "LARGEST", table.nbytes - 1)
    kept.keep({"d": table})
    assert not kept.take("d")
