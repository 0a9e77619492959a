"""``--player``: by number, by name in any case, or by a part of a name."""

from __future__ import annotations

from playhead.cli.arguments import Parser
from playhead.cli.inputs.reading import Reading
from playhead.replay import Replay
from playhead.text.names import matching


def add_player(parser: Parser, help: str = "Only this player") -> None:
    """Add ``player``."""
    parser.option("--player NAME|N", f"{help}, by name (in any case, or a part of it) or number.")


def choose_players(reading: Reading, replay: Replay, text: str) -> list[int]:
    """Return the numbers of the players whom `text` names; if nobody, note the players that there are."""
    known = [
        (each.player, [each.name, *each.details.get("names", ())])
        for each in replay.players
        if each.player is not None
    ]
    found = [number for number, _ in known if str(number) == text] or matching(text, known)
    if not found:
        there = ", ".join(f"{number} {names[0]}" for number, names in known)
        reading.note(replay, f"{text!r} is not a player of this game: {there}", option="--player")
    return list(dict.fromkeys(found))
