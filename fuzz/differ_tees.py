"""Mutated recordings as playhead and the crate `teehistorian` decode them, messages of clients as libtw2 does.

Each parser encodes what it decoded again: equal bytes mean equal fields. libtw2's own reader of recordings is not
on crates.io, therefore another crate reads them. Both peers refuse more than playhead, which keeps what clients
sent: the crate refuses packed ints with needless bytes, libtw2 numbers out of their range and control characters
in texts. Known difference: of a packed int's fifth byte libtw2 counts five bits, the server and playhead four;
messages with a higher bit are left out.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

import mutation
from differences import differences
from targets import LIMITS, teehistorian_recording
from tests.samples import teehistorian

from playhead.errors import ReplayError
from playhead.teehistorian.network import decode_network, encode_network, extended, six
from playhead.teehistorian.stream.extensions import decode_extension, encode_extension
from playhead.teehistorian.stream.header import read_header
from playhead.teehistorian.stream.messages import Extra, Finish
from playhead.teehistorian.stream.reader import MessageReader
from playhead.teehistorian.writing.writer import encode_message

_CRATE = Path(__file__).parents[1] / "benchmarks" / "peers" / "tees_again"
_TARGET = Path(os.environ.get("PLAYHEAD_PEERS_TARGET", _CRATE.parent / "target")) / "tees_again"
_RECORDING = "recording"

Decoded = tuple[list[bytes], bool]


@cache
def _peer() -> subprocess.Popen[bytes]:
    command = ["cargo", "build", "--release", "--locked", "--quiet"]
    subprocess.run(command, cwd=_CRATE, env={**os.environ, "CARGO_TARGET_DIR": str(_TARGET)}, check=True)
    program = str(_TARGET / "release" / "tees-again")
    return subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def peer(data: bytes, name: str) -> Decoded:
    """Return each message that the peer decoded, encoded again, and whether it read the input to its end."""
    process = _peer()
    assert process.stdin
    assert process.stdout
    process.stdin.write(bytes([name != _RECORDING]) + len(data).to_bytes(4, "little") + data)
    process.stdin.flush()
    read: Callable[[int], bytes] = process.stdout.read
    ended = read(1) == b"\1"
    messages = [read(int.from_bytes(read(4), "little")) for _ in range(int.from_bytes(read(4), "little"))]
    return messages, ended


def ours(data: bytes, name: str) -> Decoded:
    """Return the same of playhead."""
    if name != _RECORDING:
        record = decode_network(data, 6).record
        return [] if record is None else [encode_network(record)], record is not None
    found: list[bytes] = []
    message = None
    try:
        header = read_header(memoryview(data), LIMITS)
        for _, message in MessageReader(data, header.size):
            known = decode_extension(message) if isinstance(message, Extra) else None
            found.append(encode_message(message if known is None else encode_extension(known)))
    except ReplayError:
        return found, False
    return found, isinstance(message, Finish)


def compare(data: bytes, name: str) -> tuple[bool, str | None]:
    """Return whether both read the input to its end, and how they differ on the messages that both decode."""
    return differences(ours(data, name), peer(data, name), "message", bytes.hex)


def seeds() -> dict[str, bytes]:
    """Return a recording with every kind of message, and a message of each kind."""
    found = {_RECORDING: teehistorian.sample_bytes()}
    for record in (*six.MESSAGES.values(), *extended.MESSAGES.values()):
        values = [
            b"text".decode() if kind is str else 1 if count < 1 else (1,) * count
            for _, kind, count in record.encodings
        ]
        found[record.kind] = encode_network(record(*values))
    return found


def mutate(data: bytes, random: Random, name: str) -> bytes:
    """Change bytes, or messages of a recording."""
    if name == _RECORDING and random.random() < 0.5:
        return teehistorian_recording.mutate(data, random)
    return mutation.change(data, random)
