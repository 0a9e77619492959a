"""Floods of teehistorian: messages of each kind in one tick."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints
from uuid import UUID

from tests.teehistorian.physics.written_games import write_map

from playhead.replay import Replay
from playhead.teehistorian.network import NetworkRecord, encode_network, extended, seven, six
from playhead.teehistorian.stream import extensions as ex
from playhead.teehistorian.stream import messages as ms
from playhead.teehistorian.stream.extensions import Extension
from playhead.teehistorian.writing.writer import TeehistorianWriter, encode_message

Maker = Callable[[int], ms.Message]

_PARTS = ("standard", "", "", "standard", "standard", "standard")
#: Fields of an extension that are not just a number.
_FIELDS: dict[str, Callable[[int], int]] = {
    "cid": lambda i: i % 2,
    "target_client": lambda i: 1 - i % 2,
    "team": lambda i: 5,
    "practice": lambda i: i % 2,
    "auth_level": lambda i: i % 4,
}
_OF_TYPE: dict[type, Callable[[int], Any]] = {
    int: lambda i: i % 1000 + 1,
    str: lambda i: f"t{i}",
    bytes: lambda i: b"x",
    UUID: lambda i: UUID(int=7),
}


def _extension(record: type[Extension]) -> Maker:
    hints = get_type_hints(record)
    makers = [_FIELDS.get(name, _OF_TYPE[hints[name]]) for name in record.__match_args__]
    return lambda i: ex.encode_extension(record(*(make(i) for make in makers)))


def _sent(make: Callable[[int], NetworkRecord]) -> Maker:
    return lambda i: ms.NetMessage(i % 2, encode_network(make(i)))


def _ran(flags: int, command: str, *arguments: str) -> Maker:
    return lambda i: ms.ConsoleCommand(i % 2, flags, command, tuple(each.format(i % 50) for each in arguments))


KINDS: dict[str, Maker] = {
    "diff": lambda i: ms.PlayerDiff(i % 2, 1, 0),
    "new": lambda i: ms.PlayerNew(i % 2, 100, 300),
    "old": lambda i: ms.PlayerOld(i % 2),
    "input_diff": lambda i: ms.InputDiff(i % 2, (1 if i % 4 < 2 else -1, *[0] * 9)),
    "input_new": lambda i: ms.InputNew(i % 2, (1, i, 0, i & 1, i, i & 1, 1, 0, 0, 0)),
    "skip": lambda i: ms.TickSkip(0),
    "join": lambda i: ms.Join(i % 2),
    "drop": lambda i: ms.Drop(i % 2, f"r{i}"),
    "taken_over": lambda i: ms.Drop(i % 2, "Timeout Protection used"),
    "timeout": _ran(128, "timeout", "{}"),
    **{command: _ran(128, command, "{}") for command in ("team", "save", "load", "kill", "pause")},
    **{command: _ran(4, command, "gravity", "{}") for command in ("tune", "tele", "set_team")},
    "server": lambda i: ms.ConsoleCommand(-1, 4, "sv_motd", (f"{i}",)),
    "cut_extension": lambda i: ms.Extra(ex.PlayerName.uuid, b""),
    "unknown_extension": lambda i: ms.Extra(UUID(int=i), b"abc"),
    "unknown_message": lambda i: ms.NetMessage(i % 2, b"\x8e\x02unknown"),
    "start_6": _sent(lambda i: six.StartInfo(f"n{i}", "c", 1, "s", 0, 0, 0)),
    "change_6": _sent(lambda i: six.ChangeInfo(f"n{i}", "c", 1, "s", 0, 0, 0)),
    "set_team_6": _sent(lambda i: six.SetTeam(-(i % 2))),
    "spectate_6": _sent(lambda i: six.SetSpectatorMode(i % 3 - 1)),
    "kill_6": _sent(lambda i: six.Kill()),
    "start_7": _sent(lambda i: seven.StartInfo(f"n{i}", "c", 1, _PARTS, (0,) * 6, (0,) * 6)),
    "kill_7": _sent(lambda i: seven.Kill()),
    "distance": _sent(lambda i: extended.ShowDistance(i, i)),
    **{record.__name__: _extension(record) for record in ex.EXTENSIONS.values()},
}


@cache
def _start(folder: Path) -> bytes:
    """Two tees in a team on a map of this folder."""
    header = {"version": "2", "version_minor": "22", "map_name": "floor", "map_sha256": ""}
    header["map_sha256"] = write_map(folder / "floor.map")
    writer = TeehistorianWriter({**header, "uuids": [each.extension_name for each in ex.EXTENSIONS.values()]})
    writer.set_tick(50)
    for client in range(2):
        for record in (ms.Join(client), ex.PlayerReady(client), ex.PlayerTeam(client, 5)):
            writer.record(record)
    for client in range(2):
        writer.tee_at(client, 100 + 100 * client, 305)
    return writer.to_bytes()


def write(folder: Path, order: Sequence[tuple[str, int]]) -> bytes:
    """Return a recording with these messages."""
    flood = b"".join(encode_message(KINDS[kind](i)) for kind, i in order)
    return _start(folder) + flood + encode_message(ms.Finish())


def prepare(folder: Path, replay: Replay) -> None:
    """Give the map."""
    replay.use_map(folder)
