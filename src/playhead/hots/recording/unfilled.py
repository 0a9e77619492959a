"""Why a replay cannot fill a table or a column: its build, its map or its file lacks the data."""

from __future__ import annotations

from collections.abc import Mapping

from playhead.blizzard.events import Event, stream_of
from playhead.blizzard.events.tracker import ScoreResultEvent, StatGameEvent
from playhead.blizzard.members import member_names
from playhead.blizzard.protocol.tables import GAME, TRACKER
from playhead.blizzard.recording.recording import with_losses
from playhead.hots.recording.recording import HotsRecording
from playhead.hots.tables.registry import TABLES
from playhead.tables.schema import TableSchema

#: Events that some builds do not write, with the reason. Tables that read one of them alone are empty then, and
#: others lack columns.
_SOMETIMES: Mapping[type[Event], str] = {
    StatGameEvent: "the map of this build reports no statistics (SStatGameEvent)",
    ScoreResultEvent: "the tracker of this build has no scores (SScoreResultEvent)",
}
#: Why tables of deaths lack rows, where the map reports nothing.
_FIRST_DEATHS = f"the file has only the first death of each hero's unit: {_SOMETIMES[StatGameEvent]}"
#: Absent from every replay.
_NOWHERE: Mapping[str, str] = {
    "info.start_time": "no member has the start; the end minus the loops is wrong by every pause",
    "info.game_word": "files have no word for the game",
    "info.units_per_metre": "a cell has no size in metres",
    "players.clan": "the game has no clans",
}
#: Columns and tables that are made of a stream or a member, beside tables that read the stream.
_MADE_OF: Mapping[str, str] = {
    GAME: "talents.talent_index player_stats.leaver",
    TRACKER: "info.map_english talents.talent periods.winner_team periods.winner_side player_stats.leaver",
    member_names.GAME_ATTRIBUTES: "draft.* draft.hero_code info.team_size info.game_speed "
    "info.privacy info.drafts_first info.lobby_mode info.ban_mode info.ready_mode",
    member_names.BATTLE_LOBBY: "battle_lobby.* players.party",
    member_names.INIT_DATA: "info.mode info.queue_id info.random_value players.announcer players.banner "
    "players.spray players.voice_line players.has_silence_penalty players.has_voice_silence_penalty",
    member_names.DETAILS: "info.winner_team info.winner_side info.winner_name players.result",
}
#: Why columns are null in all rows, whenever they are.
_LEFT: Mapping[str, str] = {
    "info.lost_parts": "nothing is lost",
    "info.map_english": "neither a report of the end of the game nor one of a spray names the map",
    "info.winner_team info.winner_side info.winner_name players.result": "the file has no result of a player, "
    "as if it was saved by somebody who left before the end",
    "info.queue_id info.ban_mode": "builds before 2016 do not write it",
    "players.party": "nobody was in a party, or the battle lobby does not tell (before 51610, anonymised)",
    "periods.winner_team periods.winner_side": "no core fell",
    "player_stats.award": "the scores have no award: they were taken before the end",
    "player_stats.leaver": "no core fell",
    "talents.talent": "the map of this build reports no statistics (SStatGameEvent)",
    "draft.player": "all rows are bans",
    "draft.hero_code": "the tracker has the draft, with names in place of codes",
    "inputs.key_code": "no event of the build has the number of a key or a button",
    "objective_events.player objective_events.side objective_events.team objective_events.unit": (
        "no report of the map's goals names one"
    ),
    "player_series.xp": "the map did not report experience before the end",
    "player_stats.level": "the scores have level 0: they were taken before the end",
    "player_stats.score_minion_kills player_stats.score_regen_globes": "the scores of this build lack them",
    "players.announcer players.banner players.spray players.voice_line": "the lobby has none: nobody chose one, "
    "or the build is older",
    "players.has_voice_silence_penalty": "builds before 2016 do not write it",
    "structures.end_tick structures.end_seconds structures.end_game_seconds structures.kind structures.players": (
        "no structure fell"
    ),
}


def reasons(source: HotsRecording, schemas: Mapping[str, TableSchema]) -> dict[str, str]:
    """Return the reason why a table has no rows (``table.*``) or a column no values, by name, from the first class
    of events that the table reads."""
    found = {name: reason for names, reason in _LEFT.items() for name in names.split()}
    for name, each in TABLES.tables().items():
        for first in each.reads[:1]:
            stream = source.stream(stream_of(first))
            if first in _SOMETIMES and stream is not None and not (stream.error or len(stream.of(first))):
                lacking = (f"{name}.{column}" for column in ("*", *schemas[name].column_names))
                found = {**dict.fromkeys(lacking, _SOMETIMES[first]), **found}
    if _SOMETIMES[StatGameEvent] == found.get("kills.*"):
        found |= dict.fromkeys(("kills", "hero_deaths"), _FIRST_DEATHS)
    columns = {name: schemas[name].column_names for name in ("info", "players", "periods")}
    return with_losses(found, source.losses, TABLES, _MADE_OF, columns) | dict(_NOWHERE)
