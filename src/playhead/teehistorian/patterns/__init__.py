"""Statistics of a player's inputs for moderators: counts and spreads, with data for plots.

No statistic proves cheating. Each one can be recomputed from tables ``inputs``, ``positions`` and ``sessions``;
its thresholds are module constants with a reason: of presses of fire, hook and jump; speed and jumps of the aim;
ticks from a press to its movement; equal stretches of inputs of two players.

A tick is 20 ms: faster changes are not recorded, and at most one input of a client acts per tick.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from playhead.teehistorian.patterns.figures import (
    BUTTONS,
    InputSource,
    InputTables,
    Visit,
    describe_aim,
    describe_effects,
    describe_presses,
)
from playhead.teehistorian.state.connections import Connection
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND

if TYPE_CHECKING:
    from playhead.teehistorian.tables.window import Window


#: Least number of equal inputs in a row.
SHORTEST_STRETCH = 25
#: Least number of different aims in a stretch; with fewer, the mouse rests and equal key presses can be chance.
FEWEST_AIMS = 5

_MODULUS = (1 << 61) - 1
_BASE = 1_000_003

#: The compared values of an input: ticks since the input before, and its fields; counters by their change.
Step = tuple[int, ...]


def steps(visit: Visit) -> list[Step]:
    """Return the inputs of a visit, from the second on, each relative to the one before."""
    columns = visit.inputs
    same = [
        columns[name][1:] for name in ("direction", "cursor_x", "cursor_y", "jump", "hook", "wanted_weapon_id")
    ]
    changes = [_changes(columns[name]) for name in ("fire", "next_weapon", "prev_weapon")]
    waits = [now - before for before, now in pairwise(visit.tick)]
    return list(zip(waits, *same, *changes, strict=True))


def _changes(counter: Sequence[int]) -> list[int]:
    return [(now - before) % 64 for before, now in pairwise(counter)]


class SequenceIndex:
    """An index of the stretches of one player's inputs, by hash."""

    def __init__(self, visits: Iterable[Visit]) -> None:
        self._visits = [(visit, steps(visit)) for visit in visits]
        self._starts: dict[int, tuple[int, int]] = {}
        for number, (_, own) in enumerate(self._visits):
            for start, value in _hashes(own):
                self._starts.setdefault(value, (number, start))

    def find(self, other: Visit) -> Iterator[dict[str, Any]]:
        """Return the longest equal stretches of the indexed player and another visit."""
        theirs = steps(other)
        covered = 0
        for start, value in _hashes(theirs):
            if start < covered or value not in self._starts:
                continue
            number, own_start = self._starts[value]
            visit, own = self._visits[number]
            length = _equal_length(own, own_start, theirs, start)
            if length < SHORTEST_STRETCH:
                continue
            covered = start + length
            aims = {step[2:4] for step in theirs[start:covered]}
            if len(aims) >= FEWEST_AIMS:
                # Step n belongs to the input of row n + 1.
                first, last = visit.tick[own_start + 1], visit.tick[own_start + length]
                yield {
                    "player": visit.connection.number,
                    "first_tick": first,
                    "last_tick": last,
                    "other_player": other.connection.number,
                    "other_name": other.connection.name,
                    "other_first_tick": other.tick[start + 1],
                    "ticks_later": other.tick[start + 1] - first,
                    "inputs": length,
                    "different_aims": len(aims),
                }


def _hashes(sequence: Sequence[Step]) -> Iterator[tuple[int, int]]:
    """Yield (start, hash) of every stretch of `SHORTEST_STRETCH` steps."""
    leading = pow(_BASE, SHORTEST_STRETCH, _MODULUS)
    value = 0
    codes = [hash(step) for step in sequence]
    for index, code in enumerate(codes):
        value = value * _BASE + code
        if index >= SHORTEST_STRETCH:
            value -= leading * codes[index - SHORTEST_STRETCH]
        value %= _MODULUS
        if index >= SHORTEST_STRETCH - 1:
            yield index - SHORTEST_STRETCH + 1, value


def _equal_length(own: Sequence[Step], own_start: int, theirs: Sequence[Step], start: int) -> int:
    length = 0
    longest = min(len(own) - own_start, len(theirs) - start)
    while length < longest and own[own_start + length] == theirs[start + length]:
        length += 1
    return length


def chosen_connections(
    replay: InputSource, *, player: str | int | None = None, client: int | None = None
) -> list[Connection]:
    """Return the connections that fit all arguments, in order of appearance; all without arguments.

    Args:
        replay: the recording.
        player: number of the connection, or a name that it had at any time, exactly as in the recording.
        client: the slot of the connection.

    Raises:
        KeyError: no connection fits; the message lists the players.
    """
    everybody = replay.clients.connections
    found = [
        connection
        for connection in everybody
        if client in (None, connection.cid)
        and (player in (None, connection.number) or player in connection.names())
    ]
    if not found and (player, client) != (None, None):
        names = dict.fromkeys(name for connection in everybody for name in connection.names())
        if isinstance(player, str) and player not in names:
            raise KeyError(f"no player was called {player!r}; there were {', '.join(map(repr, names)) or 'none'}")
        raise KeyError(
            f"no player fits; there are {len(everybody)}, in slots "
            f"{', '.join(map(str, sorted({connection.cid for connection in everybody}))) or 'none'}"
        )
    return found


def reports_of(
    replay: InputSource, connections: Iterable[Connection], *, window: Window | None = None, compare: bool = True
) -> list[dict[str, Any]]:
    """Return the statistics of each connection; ticks are 20 ms, angles are degrees.

    Args:
        replay: the recording.
        connections: whose statistics.
        window: a window of `replay` with all clients (`TeehistorianReplay.window`), to read these ticks only.
        compare: search for equal inputs in all other connections (reads the inputs of all clients).
    """
    tables = InputTables(replay, window)
    connections = list(connections)
    visits: dict[int, Visit] = {}
    for cid in sorted({connection.cid for connection in connections}):
        visits.update((visit.connection.number, visit) for visit in tables.visits(cid))
    reports = [_report(connection, visits.get(connection.number)) for connection in connections]
    if compare:
        indexes = {one.number: SequenceIndex([visits[one.number]]) for one in connections if one.number in visits}
        for report, found in zip(reports, _same_inputs(tables, connections, indexes), strict=True):
            report["same_inputs"] = found
    return reports


def _report(connection: Connection, visit: Visit | None) -> dict[str, Any]:
    own = [] if visit is None else list(visit.parts())
    return {
        "player": connection.number,
        "client": connection.cid,
        "name": connection.name,
        "names": list(connection.names()),
        "inputs": 0 if visit is None else len(visit.tick),
        "seconds": 0.0 if visit is None else (visit.tick[-1] - visit.tick[0]) / TICKS_PER_SECOND,
        "presses": {button: describe_presses(own, button) for button in BUTTONS},
        "aim": describe_aim(own),
        "effects": describe_effects(own),
    }


def _same_inputs(
    tables: InputTables, connections: list[Connection], indexes: Mapping[int, SequenceIndex]
) -> Iterator[list[dict[str, Any]]]:
    found: dict[int, list[dict[str, Any]]] = {connection.number: [] for connection in connections}
    for cid in sorted({connection.cid for connection in tables.connections}):
        for visit in tables.visits(cid, with_path=False):
            for number, index in indexes.items():
                if visit.connection.number != number:
                    found[number] += index.find(visit)
    for connection in connections:
        yield sorted(found[connection.number], key=lambda same: (-same["inputs"], same["first_tick"]))
