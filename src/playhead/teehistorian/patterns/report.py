"""All statistics of the players of a recording, JSON-ready."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from playhead.teehistorian.patterns.figures import BUTTONS, describe_aim, describe_effects, describe_presses
from playhead.teehistorian.patterns.sequences import SequenceIndex
from playhead.teehistorian.patterns.visits import InputSource, InputTables, Visit
from playhead.teehistorian.state.connections import Connection
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND

if TYPE_CHECKING:
    from playhead.teehistorian.tables.window import Window


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
    own = [] if visit is None else [visit]
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
