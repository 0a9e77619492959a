"""A tee that returns from a save goes on with the state in its text."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest
from tests.teehistorian.physics.written_games import FLOOR, write_map

import playhead
from playhead.teehistorian.physics.rerun.saved_tees import read_save
from playhead.teehistorian.stream.extensions import LoadSuccess, PlayerName
from playhead.teehistorian.stream.messages import Finish, Join
from playhead.teehistorian.writing.writer import TeehistorianWriter

#: Fields of a tee in the air, by their place; the others are 0.
_FIELDS: dict[int, object] = {
    0: "anna",
    1: 1,
    9: 1,
    13: 1,
    17: 1,
    31: -1,
    41: 1,
    44: 1,
    35: 20,
    36: 130,
    46: 400,
    47: 100,
    48: 395,
    49: 100,
    50: 7,
    52: 400,
    53: 100,
    54: "5.5",
    55: "-3.25",
    56: 2,
    57: 2,
    58: 1,
    59: 3,
    60: 400,
    61: 100,
    67: 0,
    98: 1,
    101: -1,
    107: 11,
    109: 0,
}


def _line(**changes: object) -> str:
    fields = {**_FIELDS, **{int(place[1:]): value for place, value in changes.items()}}
    return "\t".join(str(fields.get(place, 0)) for place in range(115))


@pytest.mark.parametrize("named", [True, False])
def test_a_loaded_tee_has_its_state(named: bool, tmp_path: Path) -> None:
    sha256 = write_map(tmp_path / "floor.map")
    writer = TeehistorianWriter(
        {
            "version": "2",
            "version_minor": "22",
            "server_version": "0.6, 20.1",
            "map_name": "floor",
            "map_sha256": sha256,
        }
    )
    for cid, name in enumerate(("bert", "anna")):
        writer.record(Join(cid))
        if named:
            writer.record(PlayerName(cid, name))
    for tick in range(200, 206):
        writer.set_tick(tick)
        writer.tee_at(0, 100, FLOOR)
        # 5.5 and -3.25 + gravity 0.5 a tick, less friction in the air; frozen, so no key acts.
        writer.tee_at(1, *((200, FLOOR) if tick < 202 else (400, 100) if tick == 202 else _PLACES[tick - 203]))
        if tick == 202:
            writer.record(LoadSuccess(3, UUID(int=9), f"2\t1\t1\t0\t0\n{_line()}\n0\t-40\t22"))
    writer.record(Finish())
    simulation = playhead.open(writer.to_bytes()).simulate(tmp_path)
    loaded, *later = (row for row in simulation.table().to_pylist() if row["client"] == 1 and row["tick"] >= 202)
    assert loaded["exact"] is None
    assert (loaded["velocity_x"], loaded["velocity_y"]) == (5.5 * 50, -3.25 * 50)
    assert (loaded["weapon"], loaded["reload_ticks"], loaded["tele_checkpoint"]) == ("shotgun", 11, 7)
    assert (loaded["freeze_ticks"], loaded["air_jumps_left"]) == (20, 0)
    assert [row["exact"] for row in later] == [True] * 3
    assert later[0]["freeze_ticks"] == 19
    assert {row["velocity_x"] for row in simulation.table().to_pylist() if row["client"] == 0} == {0}


_PLACES = [(405, 97), (410, 95), (415, 93)]


def test_hooks_of_a_save() -> None:
    hooking, other = _line(_67=5, _101=1), _line(_0="bert")
    save = read_save(f"2\t2\t0\t0\t0\n{hooking}\n{other}")
    assert [(tee.name, tee.x, tee.y) for tee in save.tees.values()] == [("anna", 400, 100), ("bert", 400, 100)]

    class Tee:
        """Accepts every attribute."""

        def __getattr__(self, name: str) -> int:
            return 0

        def place(self, x: int, y: int) -> None:
            """Nothing moves."""

    tee = Tee()
    save.tees[0].restore(tee, 500, {1: 9}.get)
    assert (tee.hook_state, tee.hooked) == (5, 9)
    save.tees[0].restore(tee, 500, {}.get)
    assert (tee.hook_state, tee.hooked) == (4, -1)
    assert tee.owned == 7
    assert tee.freeze_start == 370


def test_a_damaged_tee_shifts_no_other_line() -> None:
    save = read_save(f"2\t3\t2\t0\t0\n{_line()}\ncut\t5\t0\n{_line(_0='bert')}\n1\t-7\t0\n0\t0\t0")
    assert {number: tee.name for number, tee in save.tees.items()} == {0: "anna", 2: "bert"}
    assert save.switches == ((1, True, 7), (2, False, 0))


@pytest.mark.parametrize(
    "text", ["", "x", "2\t9\t9", f"2\t1\n{_line()[:90]}", "2\t-1\n", f"2\t999999999\n{_line(_46='1e9')}"]
)
def test_damaged_saves(text: str) -> None:
    for tee in read_save(text).tees.values():
        assert abs(tee.x) < 1 << 30
