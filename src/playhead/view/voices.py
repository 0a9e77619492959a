"""Who speaks in a recording, and the sound that plays beside its clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playhead.presentation import PresentedReplay

#: Limit of the sound of all speakers, in bytes; ten speakers of an hour take some 30 MB.
MOST = 128 << 20


def voices(replay: PresentedReplay) -> list[tuple[int | None, str, bytes]]:
    """Return each speaker: number of the player, name, Ogg Opus.

    Raises:
        NotImplementedError: recordings of this kind have no voices.
        ModuleNotFoundError: PyAV is not installed (extra ``sound``).
        ValueError: the sound has more than `MOST` bytes.
    """
    known = {player.player for player in replay.players}
    found: list[tuple[int | None, str, bytes]] = []
    for each in replay.speakers():
        sound = each.sound(replay.brief_info.duration_seconds or 0.0)
        found.append((each.player if each.player in known else None, each.name, sound))
        if sum(len(sound) for _, _, sound in found) > MOST:
            raise ValueError(f"the voices have more than {MOST >> 20} MiB; write them with playhead voice")
    return found
