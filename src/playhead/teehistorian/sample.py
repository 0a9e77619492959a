"""A small synthetic recording that tells a story: two tees race, one leaves."""

from __future__ import annotations

import uuid
from pathlib import Path

from playhead.bits import ByteWriter
from playhead.teehistorian.extensions import (
    EXTENSIONS,
    DDNetVersion,
    JoinVersion6,
    JoinVersion7,
    PlayerFinish,
    PlayerName,
    PlayerReady,
    PlayerTeam,
)
from playhead.teehistorian.inputs import Input
from playhead.teehistorian.messages import ConsoleCommand, Drop, Finish, Join, NetMessage
from playhead.teehistorian.writer import TeehistorianWriter

_TILE = 32
_FLOOR = 40 * _TILE
_IDLE = Input(0, 0, -1, 0, 0, 0, 1, 0, 0, 0)

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
    "uuids": [record.extension_name for record in EXTENSIONS.values()],
}


def _start_info(protocol: int, name: str, clan: str) -> bytes:
    out = ByteWriter()
    out.write_packed_int((20 if protocol == 6 else 27) << 1)
    for text in (name, clan):
        out.write_cstring(text.encode())
    out.write_packed_int(-1)
    for part in ["default"] if protocol == 6 else ["standard", "", "", "standard", "standard", "standard"]:
        out.write_cstring(part.encode())
    for _ in range(3 if protocol == 6 else 12):
        out.write_packed_int(0)
    return out.to_bytes()


def _enter(writer: TeehistorianWriter, cid: int, protocol: int, name: str, clan: str) -> None:
    writer.record(JoinVersion6(cid) if protocol == 6 else JoinVersion7(cid))
    writer.record(Join(cid))
    writer.record(NetMessage(cid, _start_info(protocol, name, clan)))
    writer.record(PlayerName(cid, name))
    writer.record(PlayerReady(cid))
    writer.record(DDNetVersion(cid, uuid.UUID(int=cid + 1), 20010, "DDNet 20.1"))


def _height(step: int) -> int:
    """World units above the floor, `step` ticks into a jump of 25."""
    return max(0, step * (25 - step) // 2)


def sample_bytes() -> bytes:
    """The recording: 10 seconds, two players."""
    writer = TeehistorianWriter(_HEADER)
    writer.set_tick(50)
    _enter(writer, 0, 6, "nameless tee", "play")
    writer.set_tick(75)
    _enter(writer, 1, 7, "brownbear", "")
    x = {0: 10 * _TILE, 1: 12 * _TILE}
    for tick in range(100, 500):
        writer.set_tick(tick)
        step = tick - 100
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
        if tick == 110:
            writer.record(ConsoleCommand(1, 128, "team", ("5",)))
            writer.record(PlayerTeam(1, 5))
        if tick == 120:
            writer.record(ConsoleCommand(-1, 4, "sv_motd", ("welcome to the sample",)))
        if tick == 430:
            writer.record(ConsoleCommand(0, 128, "emote", ("happy", "5")))
        if tick == 450:
            writer.record(Drop(1, "Timeout"))
        for cid in x if tick < 450 else (0,):
            soon = step + 1
            writer.set_input(
                cid,
                _IDLE._replace(
                    direction=int(soon > 25 * (cid + 1)),
                    target_x=100 + step // 10,
                    target_y=-20 * cid - 1,
                    jump=int(soon > 25 * (cid + 1) and soon % 50 == 1),
                    hook=int(soon % 100 > 80),
                    fire=2 * (step // 120) + int(step % 120 > 110),
                ),
            )
    writer.set_tick(500)
    writer.record(PlayerFinish(0, 374))
    writer.tee_at(0, x[0] + 5, _FLOOR)
    writer.set_tick(520)
    writer.record(Drop(0, "Server shutdown"))
    writer.record(Finish())
    return writer.to_bytes()


def write_sample(folder: Path) -> Path:
    """Write ``sample_ddnet.teehistorian`` into `folder`; returns its path. Always the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "sample_ddnet.teehistorian"
    path.write_bytes(sample_bytes())
    return path
