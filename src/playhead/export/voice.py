"""Voice as sound: the packets of each speaker as one Ogg Opus file that plays along with the recording.

The packets stay as they are: PyAV (the extra ``sound``) puts them into Ogg pages, and nothing is decoded. Where a
player is silent the file has packets of silence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from playhead.errors import CorruptReplay, ReplayError
from playhead.io.atomic import whole_file
from playhead.runtime.extras import import_extra

#: Samples a second by which Opus counts time, at any rate of the sound.
RATE = 48000
_FRAME = RATE // 50
#: A frame of silence of 20 ms: the mode of the packet, and an empty range.
_SILENT_MODE, _SILENT_FRAME = 0xF8, b"\xff\xfe"
#: The longest packet has six such frames.
_MOST_FRAMES = 6
#: Limits for times in a file: hours of sound of a speaker, and speakers. Real ones: 2 hours, 20.
_LONGEST, _MOST_SPEAKERS = 12 * 3600 * RATE, 64
# A shorter gap between two packets is jitter of the network.
_GAP = RATE // 10
#: Samples of a frame by the number of its mode: SILK and hybrid, then CELT.
_SAMPLES = (
    *(each * RATE // 1000 for _ in range(3) for each in (10, 20, 40, 60)),
    *(each * RATE // 1000 for _ in range(2) for each in (10, 20)),
    *(each * RATE // 10000 for _ in range(4) for each in (25, 50, 100, 200)),
)
_ACCOUNT_BYTES, _CHECKSUM_BYTES, _RESET = 8, 4, 0xFFFF
_SILENCE, _SAMPLE_RATE, _OPUS, _OPUS_PLC = 0, 11, 5, 6


class Speaker(NamedTuple):
    """Somebody who speaks in a recording.

    Attributes:
        player: number of the player; None if the packets name an account or a client only.
        name: the player's name, or else the number, account or client in words.
        packets: samples from the start of the recording to each packet of Opus, at `RATE`, and the packet.
    """

    player: int | None
    name: str
    packets: list[tuple[int, bytes]]

    def sound(self, seconds: float) -> bytes:
        """Return all that they say as Ogg Opus of this length, in seconds.

        Raises:
            ModuleNotFoundError: PyAV is not installed.
        """
        av = import_extra("av", "sound", "voice as sound")
        sound = BytesIO()
        with av.open(sound, "w", format="ogg") as container:
            stream = container.add_stream("libopus", rate=RATE)
            stream.codec_context.layout = "mono"
            container.start_encoding()
            place = 0
            for packet, samples in _timed(self.packets, min(round(seconds * RATE), _LONGEST)):
                muxed = av.Packet(packet)
                muxed.stream, muxed.time_base = stream, stream.time_base
                muxed.pts = muxed.dts = place
                muxed.duration = samples
                container.mux(muxed)
                place += samples
        return sound.getvalue()


def list_speakers(rows: Iterable[Mapping[str, Any]], note: Callable[[ReplayError, str], None]) -> list[Speaker]:
    """Return everybody who speaks, in the order of their first packets.

    Args:
        rows: rows of table ``voice``, in order, with the names of players.
        note: called with each packet without sound, and the loss.
    """
    found: dict[tuple[str, object], Speaker] = {}
    names: dict[tuple[str, object], str] = {}
    for row in rows:
        # A client may have the number of another player: they are different speakers.
        known = ((key, row[key]) for key in ("player", "account", "client") if row.get(key) is not None)
        who = key, number = next(known, ("unknown", ""))
        names[who] = row.get("name") or names.get(who, "")
        try:
            packets = opus_packets(str(row["encoding"] or ""), row["data"] or b"")
        except ValueError as error:
            wrong = CorruptReplay(f"voice: {error}").locate(tick=row["tick"])
            note(wrong, "one packet of voice")
            continue
        begin = round((row["seconds"] or 0.0) * RATE)
        if begin > _LONGEST or (who not in found and len(found) == _MOST_SPEAKERS):
            text = f"voice: at most {_MOST_SPEAKERS} speakers and {_LONGEST // RATE // 3600} hours are written"
            note(CorruptReplay(text).locate(tick=row["tick"]), "one packet of voice")
            continue
        held = found.setdefault(who, Speaker(int(number) if key == "player" else None, "", []))
        held.packets.extend((begin, packet) for packet in packets)
    for (key, number), each in found.items():
        name = names[key, number]
        words = name if key == "player" and name else f"{key} {number} {name}"
        found[key, number] = each._replace(name=" ".join(words.split()))
    return list(found.values())


def write_voice(speakers: Iterable[Speaker], folder: Path, seconds: float) -> list[Path]:
    """Write one file for each speaker into a folder, which is made if there is one; return the files.

    Args:
        seconds: length of the recording, which each file has.

    Raises:
        ModuleNotFoundError: PyAV is not installed.
    """
    written = []
    for each in speakers:
        words = each.name if each.player is None else f"{each.player} {each.name}"
        path = folder / (re.sub(r"[^\w.-]+", "_", words) + ".opus")
        sound = each.sound(seconds)
        with whole_file(path) as temporary:
            temporary.write_bytes(sound)
        written.append(path)
    return written


def _timed(spoken: list[tuple[int, bytes]], end: int) -> Iterator[tuple[bytes, int]]:
    """Yield packets with their numbers of samples: those spoken, and silence between them and up to the end."""
    place = 0
    for begin, packet in spoken:
        if begin - place > _GAP:
            yield from _silence((begin - place) // _FRAME)
            place += (begin - place) // _FRAME * _FRAME
        samples = samples_of(packet)
        yield packet, samples
        place += samples
    if end > place:
        yield from _silence((end - place) // _FRAME)


def _silence(frames: int) -> Iterator[tuple[bytes, int]]:
    while frames:
        count = min(frames, _MOST_FRAMES)
        yield bytes((_SILENT_MODE | 3, count)) + _SILENT_FRAME * count, count * _FRAME
        frames -= count


def samples_of(packet: bytes) -> int:
    """Return how many samples a packet of Opus has, at `RATE`.

    Raises:
        ValueError: it is no such packet.
    """
    if not packet:
        raise ValueError("an empty packet")
    code, rest = packet[0] & 3, len(packet) - 1
    frames = (1, 2, 2, packet[1] & 63 if rest else 0)[code]
    samples = frames * _SAMPLES[packet[0] >> 3]
    if not 0 < samples <= _FRAME * _MOST_FRAMES or (code == 1 and rest % 2) or (code == 2 and not rest):
        raise ValueError(f"{len(packet)} bytes that are no packet of Opus")
    return samples


def opus_packets(encoding: str, data: bytes) -> list[bytes]:
    """Return the Opus packets in the data of one row.

    Args:
        encoding: the row's word for its encoding: opus and steam are read.
        data: the bytes.

    Raises:
        ValueError: another encoding, or bytes that are not of it.
    """
    kind = encoding.rpartition("_")[2].lower()
    if kind not in ("opus", "steam"):
        raise ValueError(f"encoding {encoding or 'unknown'} has no Opus packets")
    found = [data] if kind == "opus" else list(_steam_packets(data))
    for packet in found:
        samples_of(packet)
    return found


def _steam_packets(data: bytes) -> Iterator[bytes]:
    """Yield the packets in a message of Steam's voice: the account, blocks, a checksum."""
    place, end = _ACCOUNT_BYTES, len(data) - _CHECKSUM_BYTES

    def number(at: int, most: int) -> int:
        if at + 2 > most:
            raise ValueError("Steam's voice is cut off")
        return int.from_bytes(data[at : at + 2], "little")

    while place < end:
        kind, size = data[place], number(place + 1, end)
        place += 3
        if kind in (_SILENCE, _SAMPLE_RATE):
            continue
        if kind not in (_OPUS, _OPUS_PLC):
            raise ValueError(f"Steam's voice has an unknown block {kind}")
        last = place + size
        if last > end:
            raise ValueError("Steam's voice is cut off")
        while place < last:
            length = number(place, last)
            place += 2
            if length == _RESET:
                continue
            place += 2 if kind == _OPUS_PLC else 0  # the number of the frame
            if place + length > last:
                raise ValueError("Steam's voice is cut off")
            yield data[place : place + length]
            place += length
