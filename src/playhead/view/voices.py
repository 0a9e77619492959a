"""Who speaks in a recording, and the sound that plays beside its clock."""

from __future__ import annotations

from tempfile import TemporaryDirectory
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
    names = {player.player: player.name for player in replay.players}
    found: list[tuple[int | None, str, bytes]] = []
    with TemporaryDirectory(prefix="playhead-voice-") as folder:
        for path in replay.write_voice(folder):
            # The name of a file begins with the number of the player, or else with the word account or client.
            number = path.stem.partition("_")[0]
            player = int(number) if number.isdecimal() and int(number) in names else None
            name = names.get(player) if player is not None else None
            found.append((player, name or path.stem, path.read_bytes()))
            if sum(len(sound) for _, _, sound in found) > MOST:
                raise ValueError(f"the voices have more than {MOST >> 20} MiB; write them with playhead voice")
    return found
