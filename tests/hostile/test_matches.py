"""Hostile numbers in recordings of CS2: settings, ticks of several recordings of one match, deltas of commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.hostile import attempts
from tests.hostile.makers import far_demo
from tests.samples import cs2

import playhead
from playhead.bits import ByteWriter
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import message_number
from playhead.source2.writing.demo import InnerMessage

Said = Callable[[int], list[InnerMessage]]


def demo_with(monkeypatch: pytest.MonkeyPatch, more: Said) -> bytes:
    """The sample with more messages at each tick."""
    said = cs2._said
    monkeypatch.setattr(cs2, "_said", lambda tick: [*said(tick), *more(tick)])
    return cs2.sample_demo()


@pytest.mark.long
@pytest.mark.parametrize("value", ["9" * 5000, "9" * 15, "٣٤", "-1", ""])
def test_numbers_of_rounds_are_bounded(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    payload = wire.encode("CNETMsg_SetConVar", {"convars": {"cvars": [{"name": "mp_maxrounds", "value": value}]}})
    number = message_number("cs2", "net_SetConVar")
    data = demo_with(monkeypatch, lambda tick: [(number, payload)] if tick == 4 else [])
    for inputs in (data, [data, data]):
        replay: Any = playhead.open(inputs)
        assert {row["max_rounds"] for row in replay.table("match").to_pylist()} <= {None, 34}
        assert value in {row["convar_value"] for row in replay.table("convars").to_pylist()}


@pytest.mark.long
def test_ticks_of_recordings_together_are_bounded() -> None:
    far, near = far_demo(cs2.sample_demo()), cs2.sample_demo()
    with pytest.raises(playhead.LimitExceeded, match="ticks together"):
        playhead.open([far, near])
    with playhead.open([near, far_demo(near, 0xFFFFFF00)]) as replay:
        assert sum(table.num_rows for table in replay.read_tables(list(replay.tables)).values())


def _unknown(number: int) -> bytes:
    writer = ByteWriter()
    writer.write_varuint32(number << 3)
    writer.write_varuint32(1)
    return writer.to_bytes()


def _growing() -> Iterator[tuple[bytes, bytes]]:
    """Deltas that each add a field of their own to the command before."""
    yield b"", b""
    yield from ((b"", _unknown(number)) for number in range(100, 75_000))


def _nested() -> Iterator[tuple[bytes, bytes]]:
    """Messages in themselves, whole and as a delta."""
    content = b""
    for _ in range(3000):
        writer = ByteWriter()
        writer.write_varuint32(1 << 3 | 2)
        writer.write_varuint32(len(content))
        writer.write_bytes(content)
        content = writer.to_bytes()
    yield content, b""
    yield b"", content


def _wide() -> Iterator[tuple[bytes, bytes]]:
    """A command with 200,000 unknown fields, then deltas of two bytes."""
    yield b"".join(map(_unknown, range(100, 200_100))), b""
    yield from ((b"", _unknown(5)) for _ in range(40_000))


@pytest.mark.long
@pytest.mark.slow_interpreted
@pytest.mark.stepped
@pytest.mark.parametrize("form", [_growing, _nested, _wide], ids=lambda form: form.__name__[1:])
def test_deltas_of_commands_do_not_add_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, form: Callable[[], Iterator[tuple[bytes, bytes]]]
) -> None:
    commands, number = form(), message_number("cs2", "svc_UserCmds")
    count = iter(range(1 << 20))

    def more(tick: int) -> list[InnerMessage]:
        entries = [
            {
                "player_slot": 0,
                "cmd_number": next(count),
                "data" if data or not delta else "delta_data": data or delta,
            }
            for data, delta in (each for each, _ in zip(commands, range(120), strict=False))
        ]
        return [(number, wire.encode("CSVCMsg_UserCommands", {"commands": entries}))] if entries else []

    path = tmp_path / "commands.dem"
    path.write_bytes(demo_with(monkeypatch, more))
    for words in (("export", path, "-o", tmp_path / "out"), ("verify", path)):
        found = attempts.command(*words)
        assert found.cpu < attempts.CPU_SECONDS
        assert attempts.kept_within(found, 1 << 30)
