"""Voices as sound: packets in Ogg files, decoded again."""

from __future__ import annotations

import math
import struct
from array import array
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.cli.in_process import run
from tests.samples.source2.cs2_match.demo import write_cs2_match

import playhead
from playhead.errors import ReplayError
from playhead.export.voice import RATE, list_speakers, opus_packets, samples_of, write_voice

_SILENT = b"\xf8\xff\xfe"


@pytest.fixture(scope="module")
def tone() -> list[bytes]:
    """Half a second of a tone as packets of 20 ms."""
    av = pytest.importorskip("av")
    encoder = av.CodecContext.create("libopus", "w")
    encoder.sample_rate, encoder.layout, encoder.format = RATE, "mono", "s16"
    encoder.time_base = Fraction(1, RATE)
    found = []
    for number in range(25):
        frame = av.AudioFrame(format="s16", layout="mono", samples=960)
        frame.sample_rate, frame.pts, frame.time_base = RATE, number * 960, Fraction(1, RATE)
        wave = (12000 * math.sin(2 * math.pi * 440 * (number * 960 + i) / RATE) for i in range(960))
        frame.planes[0].update(array("h", [int(value) for value in wave]).tobytes())
        found += [bytes(packet) for packet in encoder.encode(frame)]
    return found


def rows(packets: list[bytes], begin: float) -> list[dict[str, Any]]:
    speaker = {"tick": 0, "player": 3, "name": "a/b", "encoding": "opus"}
    return [speaker | {"seconds": begin + 0.02 * n, "data": packet} for n, packet in enumerate(packets)]


def loudness(path: Path) -> list[float]:
    """Return the mean amplitude of each half second."""
    av = pytest.importorskip("av")
    found: list[list[float]] = []
    with av.open(str(path)) as container:
        for frame in container.decode(audio=0):
            place = int(frame.pts / RATE * 2)
            while len(found) <= place:
                found.append([])
            found[place].append(float(abs(frame.to_ndarray()).mean()))
    return [sum(each) / len(each) if each else 0.0 for each in found]


def test_sound_is_where_it_was_in_the_recording(tmp_path: Path, tone: list[bytes]) -> None:
    noted: list[Any] = []
    spoken = [*rows(tone, 1.0), *rows(tone, 4.5)]
    speakers = list_speakers(spoken, lambda *each: noted.append(each))
    assert [(each.player, each.name) for each in speakers] == [(3, "a/b")]
    (path,) = write_voice(speakers, tmp_path / "sound", 6.0)
    assert path.name == "3_a_b.opus"
    heard = loudness(path)
    assert len(heard) in (12, 13)
    loud = {place for place, value in enumerate(heard) if value > 0.1}
    assert loud == {2, 9}
    assert max(value for place, value in enumerate(heard) if place not in loud | {3, 10}) < 1e-3
    assert noted == []


def test_a_client_is_not_the_player_of_the_same_number(tmp_path: Path) -> None:
    pytest.importorskip("av")
    client = [row | {"player": None, "client": 3, "name": None} for row in rows([_SILENT], 0.0)]
    speakers = list_speakers([*rows([_SILENT], 0.0), *client], lambda *each: None)
    assert [(each.player, each.name) for each in speakers] == [(3, "a/b"), (None, "client 3")]
    found = write_voice(speakers, tmp_path, 1.0)
    assert [path.name for path in found] == ["3_a_b.opus", "client_3.opus"]


def test_times_and_speakers_ask_for_no_more_than_limits() -> None:
    noted: list[tuple[ReplayError, str]] = []
    late = rows([_SILENT], 1e9)
    crowd = [row | {"player": number} for number in range(70) for row in rows([_SILENT], 0.0)]
    found = list_speakers([*late, *crowd], lambda *each: noted.append(each))
    assert len(found) == 64
    assert len(noted) == 7
    assert "64 speakers and 12 hours" in str(noted[0][0])


def steam(packets: list[bytes], *, plc: bool = True) -> bytes:
    """Return packets as a message of Steam's voice."""
    inner = b"".join(
        struct.pack("<H", len(packet)) + (struct.pack("<H", number) if plc else b"") + packet
        for number, packet in enumerate(packets)
    )
    blocks = struct.pack("<BH", 11, 24000) + struct.pack("<BH", 6 if plc else 5, len(inner)) + inner
    return bytes(8) + blocks + struct.pack("<BH", 0, 480) + bytes(4)


@pytest.mark.parametrize("plc", [True, False])
def test_steam_s_voice_has_the_same_packets(plc: bool) -> None:
    packets = [_SILENT, b"\xf8abc", b"\xfb\x03" + b"xy" * 3]
    assert opus_packets("steam", steam(packets, plc=plc)) == packets
    assert opus_packets("VOICEDATA_FORMAT_OPUS", packets[1]) == [packets[1]]
    ended = steam(packets[:1])[:-7]
    assert opus_packets("steam", ended + bytes(4)) == packets[:1]


@pytest.mark.parametrize(
    ("packet", "milliseconds"), [(_SILENT, 20), (b"\xfb\x06" + b"\xff\xfe" * 6, 120), (b"\x18a", 60)]
)
def test_the_length_of_a_packet(packet: bytes, milliseconds: int) -> None:
    assert samples_of(packet) == milliseconds * RATE // 1000


@pytest.mark.parametrize("data", [b"", b"\xf9abc", b"\xfb", b"\x1b\x3f" + b"a" * 9, b"\xfa"])
def test_bytes_that_are_no_packet_are_a_problem(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(ValueError, match="packet"):
        samples_of(data)
    noted: list[tuple[ReplayError, str]] = []
    assert list_speakers(rows([data], 0.0), lambda *each: noted.append(each)) == []
    assert [cost for _, cost in noted] == ["one packet of voice"]
    assert write_voice([], tmp_path / "none", 1.0) == []
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("cut", range(9, 40))
def test_a_cut_message_of_steam_is_no_crash(cut: int) -> None:
    whole = steam([_SILENT, b"\xf8" + bytes(20)])
    try:
        found = opus_packets("steam", whole[:cut])
    except ValueError:
        return
    assert all(samples_of(packet) == 960 for packet in found)


@pytest.mark.long
def test_a_match_plays_along(tmp_path: Path) -> None:
    pytest.importorskip("av")
    match = write_cs2_match(2)
    source = tmp_path / "match.dem"
    source.write_bytes(match.data)
    outcome = run("source2", "voice", source, "-o", tmp_path / "sound")
    assert outcome.returncode == 0
    speakers = {row["player"] for row in match.story["voice"]}
    written = sorted((tmp_path / "sound").iterdir())
    assert {path.stem.partition("_")[2] for path in written} == speakers
    assert outcome.stdout.split() == [str(path) for path in written]
    seconds = playhead.open(source).info.duration_seconds
    assert len(loudness(written[0])) / 2 == pytest.approx(seconds, abs=1)
