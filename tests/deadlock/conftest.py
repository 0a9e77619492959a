"""The real recordings of Deadlock, and the tables that boon finds in them."""

from __future__ import annotations

import json
import os
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.deadlock.story import Told, tell

import playhead
from playhead.deadlock.replay import DeadlockReplay
from playhead.source2.messages import wire

#: Environment variable with the Python of an environment that has boon-deadlock 0.10.0: it reads recordings made
#: before 29 September 2026, later versions do not.
BOON = "PLAYHEAD_BOON"
#: Environment variable with the Python of an environment that has boon-deadlock 0.19.
NEW_BOON = "PLAYHEAD_BOON_NEW"
#: Minutes of the written match: long enough for sales, and for two lives of the mid boss and the Rift.
MINUTES = 6.5

_ASK = """
import json, sys
from boon import Demo
demo = Demo(sys.argv[1])
frames = {}
for name in sys.argv[2:]:  # "summary.damage" is a frame of the dictionary that summary() returns
    name, _, key = name.partition(".")
    frame = getattr(demo, name)
    frame = frame() if callable(frame) else frame
    frames[key or name] = frame[key] if key else frame
print(json.dumps({name: frame.to_dicts() for name, frame in frames.items()}))
"""

Rows = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="session")
def broadcast(corpus: Path) -> DeadlockReplay:
    replay = playhead.open(corpus / "source2" / "deadlock_broadcast")
    assert isinstance(replay, DeadlockReplay)
    return replay


@pytest.fixture(scope="session")
def sandbox(corpus: Path) -> DeadlockReplay:
    replay = playhead.open(corpus / "source2" / "deadlock_10423.dem")
    assert isinstance(replay, DeadlockReplay)
    return replay


@pytest.fixture(scope="session", params=["old", "new"])
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Told:
    """The written match, as before the update and as after it."""
    return tell(tmp_path_factory.mktemp("written"), new=request.param == "new", minutes=MINUTES)


@pytest.fixture(scope="session")
def boon_of(told: Told) -> Callable[..., Rows]:
    """Returns the rows of some datasets of the written match, by the boon that reads such recordings."""
    ask = _asking(NEW_BOON if told.new else BOON)
    return lambda *names: ask(told.path, *names)


@pytest.fixture(scope="session")
def boon_fights(told: Told) -> list[dict[str, Any]]:
    """The fights that boon finds in the written match."""
    return _asking(NEW_BOON if told.new else BOON)(told.path, "teamfights")["teamfights"]


@pytest.fixture(scope="session")
def boon() -> Callable[..., Rows]:
    """Returns boon's rows of some datasets of a file."""
    return _asking(BOON)


def _asking(variable: str) -> Callable[..., Rows]:
    python = os.environ.get(variable)
    if not python:
        pytest.skip(f"no environment with boon-deadlock (set {variable} to its Python)")

    def ask(path: Path, *names: str) -> Rows:
        done = subprocess.run([python, "-c", _ASK, path, *names], capture_output=True, text=True, check=True)
        rows: Rows = json.loads(done.stdout)
        return rows

    return ask


@pytest.fixture(scope="session")
def new_boon() -> Callable[..., Rows]:
    """Returns the rows of boon 0.19 of some datasets of a file."""
    return _asking(NEW_BOON)


@pytest.fixture(scope="session")
def broadcast_demo(broadcast: DeadlockReplay, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The broadcast as a file that boon reads."""
    path = tmp_path_factory.mktemp("deadlock") / "broadcast.dem"
    broadcast.write_slice(path, 7244, 8861)
    path.write_bytes(_for_boon(path.read_bytes()))
    return path


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def _encoded(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*out, value))


def _for_boon(data: bytes) -> bytes:
    """Return a slice with a build number in its header and a DEM_SyncTick after the sign-on, which boon needs."""
    frames, at = [], 16
    while at < len(data):
        begin = at
        kind, at = _varint(data, at)
        tick, at = _varint(data, at)
        size, at = _varint(data, at)
        frames.append((kind, tick, data[at : at + size], data[begin : at + size]))
        at += size
    kind, tick, header, _ = frames[0]
    header = wire.encode("CDemoFileHeader", {"build_num": 10100, **wire.decode("CDemoFileHeader", header)})
    out = [_encoded(kind) + _encoded(tick) + _encoded(len(header)) + header]
    synced = any(kind & 0x3F == 3 for kind, *_ in frames)
    for kind, _, _, whole in frames[1:]:
        if not synced and kind & 0x3F in (7, 13):
            out.append(_encoded(3) + _encoded(0xFFFFFFFF) + _encoded(0))
            synced = True
        out.append(whole)
    body = b"".join(out)
    moved = 16 + len(body) - len(data)
    offsets = (offset + moved for offset in struct.unpack("<ii", data[8:16]))
    return data[:8] + struct.pack("<ii", *offsets) + body
