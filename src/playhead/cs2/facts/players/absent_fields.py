"""Velocities and buttons of `player_series`, also of recordings whose pawns do not send them."""

from __future__ import annotations

from typing import Any

from playhead.cs2.sources.match import Cs2Match
from playhead.runtime.libraries import pa, pc
from playhead.tables.arrow import row_numbers
from playhead.tables.value_arrays import array_of, scalar_of

VELOCITIES = ("velocity_x", "velocity_y", "velocity_z", "speed", "velocity_known_by")


def velocities_by_places(
    match: Cs2Match, ticks: pa.Array, players: pa.Array, need: frozenset[str]
) -> dict[str, Any]:
    """Return the velocities of a recording without them, by the places at a tick and the tick before."""
    asked = sorted({each for tick in pc.unique(ticks).to_pylist() for each in (tick - 1, tick) if each >= 0})
    there = match.replay.table("player_series", ticks=asked, columns=["tick", "player", "x", "y", "z"])
    known = _keys(there["tick"], there["player"])
    now = pc.index_in(_keys(ticks, players), value_set=known)
    before = pc.index_in(_keys(pc.subtract(ticks, scalar_of(1, ticks.type)), players), value_set=known)
    rate = scalar_of(match.ticks_per_second, pa.float64())
    places = [there[axis].cast(pa.float64()) for axis in "xyz"]
    ways = [pc.subtract(place.take(now), place.take(before)) for place in places]
    return of_speeds([pc.multiply(way, rate) for way in ways], "places", need)


def buttons_by_commands(match: Cs2Match, ticks: pa.Array, players: pa.Array) -> pa.ChunkedArray:
    """Return the buttons of the last command at a tick, for a recording whose pawns do not send them."""
    commands = match.replay.table("inputs", columns=["tick", "player", "buttons"]).drop_null()
    latest_first = commands.take(
        pc.subtract(scalar_of(commands.num_rows - 1, pa.int64()), row_numbers(commands.num_rows, pa.int64()))
    )
    known = _keys(latest_first["tick"], latest_first["player"])
    return latest_first["buttons"].take(pc.index_in(_keys(ticks, players), value_set=known))


def _keys(ticks: pa.Array | pa.ChunkedArray, players: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return a number for each pair of tick and player. `Table.join` and `group_by` would import pandas."""
    keys = pc.add(pc.shift_left(ticks.cast(pa.int64()), scalar_of(32, pa.int64())), players.cast(pa.int64()))
    if not isinstance(keys, pa.ChunkedArray):
        return keys
    return keys.combine_chunks() if keys.num_chunks else pa.nulls(0, keys.type)


def of_speeds(speeds: list[Any], known_by: str, need: frozenset[str]) -> dict[str, Any]:
    found = {f"velocity_{axis}": speed.cast(pa.float32()) for axis, speed in zip("xyz", speeds, strict=True)}
    squares = [pc.multiply(speed, speed) for speed in speeds]
    found["speed"] = pc.sqrt(pc.add(pc.add(squares[0], squares[1]), squares[2])).cast(pa.float32())
    known = pc.if_else(pc.is_valid(found["speed"]), scalar_of(0, pa.int32()), scalar_of(None, pa.int32()))
    indices = known.combine_chunks() if isinstance(known, pa.ChunkedArray) else known
    found["velocity_known_by"] = pa.DictionaryArray.from_arrays(indices, array_of([known_by], pa.string()))
    return {name: values for name, values in found.items() if name in need}
