"""Facts of the whole recording, from the header, FileInfo and ServerInfo."""

from __future__ import annotations

from datetime import UTC, datetime

from playhead.errors import CorruptReplay
from playhead.model import Info, ProblemHandler
from playhead.runtime.typing import Any
from playhead.source2.games import GAMES, UNKNOWN_GAME
from playhead.source2.playback.recording import Recording

# What ServerInfo says of the server.
_SERVER = ("protocol", "is_dedicated", "is_hltv", "max_clients", "max_classes", "host_name", "game_dir")


_OF_FILE_INFO = "only FileInfo of Dota 2 has it, where the recording has its regular end"
_OF_MATCH = "it takes the whole recording, which is read for the facts of its game only"
#: Reasons why columns of the engine's tables are null.
UNFILLED = {
    "info.start_time": "recordings do not have the time of their start",
    **dict.fromkeys(("info.end_time", "info.played_at", "info.played_at_is"), _OF_FILE_INFO),
    **dict.fromkeys(("info.winner_team", "info.winner_side"), _OF_MATCH),
    "info.winner_name": "the head of the file does not name the winner; see table match",
    "info.units_per_metre": "the size of a metre in this game is not known",
    "players.clan": "neither FileInfo nor the userinfo table has it",
    "players.result": _OF_MATCH,
    "game_events.server_tick": "no event has it",
    "user_messages.data": "every message was decoded",
    "user_messages.fields": "no message could be decoded",
    "messages.message": "playhead does not know the numbers",
}


#: The same for games whose tables of facts have the winner.
UNDECIDED = {
    **dict.fromkeys(
        ("info.winner_team", "info.winner_side", "players.result"),
        "the recording has no end of a match with a winner",
    ),
    "info.winner_name": "the winner has no name of its own, or there is none",
}


def load_info(recording: Recording, format: str, name: str, note: ProblemHandler) -> Info:
    """Return the facts of a recording."""
    header, match = recording.file_header, recording.match_info
    ended = match.get("end_time")
    patch = header.get("patch_version")
    game, winner = GAMES.get(recording.game, UNKNOWN_GAME), match.get("game_winner", 0)
    return Info(
        format=format,
        game=recording.game,
        game_word=recording.game_word,
        source=name,
        complete=recording.file_info_frame is not None,
        version=None if patch is None else str(patch),
        build=header.get("build_num"),
        map=header.get("map_name") or recording.server_info.get("map_name") or None,
        end_time=datetime.fromtimestamp(ended, UTC) if ended else None,
        duration_ticks=_duration_ticks(recording, note),
        ticks_per_second=recording.ticks_per_second,
        units_per_metre=game.units_per_metre,
        winner_team=winner if winner in game.sides else None,
        winner_side=game.sides.get(winner),
        details=_details(recording),
    )


def _duration_ticks(recording: Recording, note: ProblemHandler) -> int | None:
    """Return the length in FileInfo, otherwise the last tick; None if there is only sign-on."""
    ticks = recording.file_info.get("playback_ticks")
    if ticks is not None and ticks >= 0:
        return int(ticks)
    if ticks is not None:
        wrong = CorruptReplay(f"expected a length of 0 ticks or more, found {ticks}", where="FileInfo")
        note(wrong, "nothing: the last tick seen is taken for the length")
    last = recording.frames.highest_tick()
    return last if last is not None and last >= 0 else None


def moved_messages(recording: Recording) -> dict[str, Any]:
    """Return the detail of `Info` with the messages that moved to another number, and this number; {} if none was
    found so far."""
    moved = recording.numbers.moved_names
    return {"moved_messages": moved} if moved else {}


def _details(recording: Recording) -> dict[str, Any]:
    """Return the header, what FileInfo has of the match (but its players), and the server's basics."""
    file_info, server = recording.file_info, recording.server_info
    match = {key: value for key, value in recording.match_info.items() if key != "player_info"}
    joined = {} if recording.joined is None else {"joined_at_tick": recording.joined}
    return {
        **joined,
        **moved_messages(recording),
        "file_header": {str(key): value for key, value in recording.file_header.items()},
        "playback_time": file_info.get("playback_time"),
        "playback_frames": file_info.get("playback_frames"),
        "match": {str(key): value for key, value in match.items()},
        "server_info": {key: server[key] for key in _SERVER if key in server},
    }
