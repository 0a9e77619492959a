"""A small synthetic recording: two tees race as a team, one leaves, the other reconnects."""

from __future__ import annotations

import uuid
from pathlib import Path

from playhead.io.atomic import write_whole
from playhead.teehistorian.network import NetworkRecord, encode_network, extended, seven, six
from playhead.teehistorian.stream import extensions
from playhead.teehistorian.stream.messages import ConsoleCommand, Drop, Finish, Join, NetMessage
from playhead.teehistorian.stream.ticks import Input
from playhead.teehistorian.writing.writer import TeehistorianWriter

_TILE = 32
_FLOOR = 40 * _TILE
_IDLE = Input(0, 0, -1, 0, 0, 0, 1, 0, 0, 0)
_SAVE_ID = uuid.UUID("00000000-0000-4000-8000-000000000002")
_SAVE = "2\t2\t0\t0\t0\nnameless tee\t1\nbrownbear\t1"

_HEADER = {
    "comment": "teehistorian@ddnet.tw",
    "version": "2",
    "version_minor": "22",
    "game_uuid": "00000000-0000-4000-8000-000000000001",
    "server_version": "0.6, 20.1 (synthetic)",
    "start_time": "2026-01-02T03:04:05+0000",
    "server_name": "playhead sample",
    "server_port": "8303",
    "game_type": "DDraceNetwork",
    "map_name": "Tutorial",
    "map_size": "0",
    "map_sha256": "0" * 64,
    "map_crc": "00000000",
    "config": {"sv_tee_historian": "1"},
    "tuning": {},
    "uuids": [record.extension_name for record in extensions.EXTENSIONS.values()],
}


def _enter(writer: TeehistorianWriter, cid: int, protocol: int, name: str, given: str, clan: str) -> None:
    """Return the messages of a joining client; `name` is the requested name, `given` the assigned one."""
    info: NetworkRecord
    if protocol == 6:
        info = six.StartInfo(name, clan, -1, "default", 0, 0, 0)
    else:
        parts = ("standard", "", "", "standard", "standard", "standard")
        info = seven.StartInfo(name, clan, -1, parts, (0,) * 6, (0,) * 6)
    writer.record(extensions.JoinVersion6(cid) if protocol == 6 else extensions.JoinVersion7(cid))
    writer.record(Join(cid))
    writer.record(NetMessage(cid, encode_network(info)))
    writer.record(extensions.PlayerName(cid, given))
    writer.record(extensions.PlayerReady(cid))
    writer.record(extensions.DDNetVersion(cid, uuid.UUID(int=cid + 1), 20010, "DDNet 20.1"))


def _height(step: int) -> int:
    """Return the height above the floor in world units, `step` ticks into a jump of 25."""
    return max(0, step * (25 - step) // 2)


def _said(cid: int, record: NetworkRecord) -> NetMessage:
    return NetMessage(cid, encode_network(record))


def _typed(cid: int, command: str, *arguments: str) -> ConsoleCommand:
    return ConsoleCommand(cid, 128, command, arguments)


#: Events other than movement, by tick; written after the positions of that tick.
_STORY: dict[int, list[ConsoleCommand | NetMessage | Drop | extensions.Extension]] = {
    102: [_typed(0, "timeout", "sample-code"), _said(0, extended.ShowDistance(1500, 900))],
    104: [_said(1, seven.Command("rank", "")), _typed(1, "rank"), _said(0, six.Emoticon(2))],
    106: [extensions.AuthLogin(0, 3, "default_admin"), NetMessage(0, b"\x8e\x02unknown")],
    110: [
        _typed(0, "team", "5"),
        _typed(1, "team", "5"),
        extensions.PlayerTeam(0, 5),
        extensions.PlayerTeam(1, 5),
    ],
    115: [_typed(1, "practice"), extensions.TeamPractice(5, 1)],
    118: [_typed(1, "unpractice"), extensions.TeamPractice(5, 0)],
    120: [ConsoleCommand(-1, 4, "sv_motd", ("welcome to the sample",))],
    200: [_typed(0, "swap", "brownbear"), _typed(1, "swap", "nameless tee"), extensions.PlayerSwap(1, 0)],
    210: [_typed(0, "save", "sample-save")],
    211: [extensions.SaveSuccess(5, _SAVE_ID, _SAVE)],
    240: [_typed(1, "load", "another-save")],
    241: [extensions.LoadFailure(5)],
    250: [_typed(1, "load", "sample-save")],
    251: [extensions.LoadSuccess(5, _SAVE_ID, _SAVE)],
    300: [ConsoleCommand(0, 4, "say", ("well done",))],
    360: [_said(0, six.ChangeInfo("nameless tee", "play", 276, "bluekitty", 0, 0, 0))],
    370: [extensions.Antibot(b"opaque")],
    380: [extensions.AuthLogout(0), _typed(0, "team", "0"), extensions.PlayerTeam(0, 0)],
    430: [_typed(0, "emote", "happy", "5")],
    450: [Drop(1, "Timeout"), extensions.PlayerTeam(1, 0)],
    # The player returns on the free slot with another connection; the timeout code restores the old tee.
    472: [_typed(1, "timeout", "sample-code"), Drop(1, "Timeout Protection used")],
}


def sample_bytes() -> bytes:
    """Return the recording: 10 seconds, two players, one of whom reconnects."""
    writer = TeehistorianWriter(_HEADER)
    writer.set_tick(50)
    _enter(writer, 0, 6, "nameless tee", "nameless tee", "play")
    writer.set_tick(75)
    _enter(writer, 1, 7, "brownbear", "brownbear", "")
    x = {0: 10 * _TILE, 1: 12 * _TILE}
    for tick in range(100, 500):
        writer.set_tick(tick)
        step = tick - 100
        if tick == 351:
            for finish in (
                extensions.PlayerFinish(0, 225),
                extensions.PlayerFinish(1, 225),
                extensions.TeamFinish(5, 225),
            ):
                writer.record(finish)
        if tick < 451:
            for cid in x:
                running = step > 25 * (cid + 1)
                jumping = running and step % 50 < 25
                x[cid] += 5 if running else 0
                writer.tee_at(cid, x[cid], _FLOOR - (_height(step % 50) if jumping else 0))
        else:
            x[0] += 5
            writer.tee_at(0, x[0], _FLOOR)
            if tick == 451:
                writer.tee_gone(1)
        for record in _STORY.get(tick, ()):
            writer.record(record)
        if tick == 470:
            _enter(writer, 1, 6, "nameless tee", "(1)nameless tee", "play")
        for cid in x if tick < 450 else (0,):
            soon = step + 1
            writer.set_input(
                cid,
                _IDLE._replace(
                    direction=int(soon > 25 * (cid + 1)),
                    cursor_x=100 + step // 10,
                    cursor_y=-20 * cid - 1,
                    jump=int(soon > 25 * (cid + 1) and soon % 50 == 1),
                    hook=int(soon % 100 > 80),
                    fire=2 * (step // 120) + int(step % 120 > 110),
                ),
            )
    writer.set_tick(500)
    writer.record(extensions.PlayerFinish(0, 110))
    writer.tee_at(0, x[0] + 5, _FLOOR)
    writer.set_tick(520)
    writer.record(Drop(0, "Server shutdown"))
    writer.record(Finish())
    return writer.to_bytes()


def write_sample(folder: Path) -> Path:
    """Write ``sample_ddnet.teehistorian`` into `folder`; return its path. The bytes are always the same."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "sample_ddnet.teehistorian"
    write_whole(path, sample_bytes())
    return path
