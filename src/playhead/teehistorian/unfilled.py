"""Why a recording cannot fill some tables and columns."""

from __future__ import annotations

from collections.abc import Mapping

from playhead.teehistorian.stream import extensions as ex
from playhead.teehistorian.stream.header import Header

#: Why no recording has some columns; and what may be missing where a column is null in all rows.
_UNFILLED = {
    **dict.fromkeys(("*.winner_team", "*.winner_side", "*.winner_name", "players.result"), "a race has no winner"),
    **dict.fromkeys(("*.game_seconds", "*.end_game_seconds"), "the game has no clock"),
    **dict.fromkeys(("players.team", "players.side"), "players change teams: table teams has each change"),
    "info.game_word": "one game writes files of this format",
    "info.end_time": "the file does not tell when the recording ended",
    "info.units_per_metre": "a tile has no size in metres",
    "players.kind": "the file does not tell people from programs",
    "players.account": "players have no accounts",
    **dict.fromkeys(("commands.client", "commands.player", "commands.name"), "the server gave them all"),
    "commands.auth_level": "no client that gave one has a known level",
    "inputs.wanted_weapon": "no input asks for a weapon by its number",
    **dict.fromkeys(("messages.client", "messages.player"), "no message is about a client"),
    "messages.extension": "the recording has no extra messages",
    **dict.fromkeys(("names.end_tick", "names.end_seconds"), "every name lasts to the end of the recording"),
    "net_messages.message_uuid": "all messages have numbers",
    **dict.fromkeys(("periods.end_tick", "periods.end_seconds"), "the file ends before the game does"),
    **dict.fromkeys(("runs.load_tick", "runs.save_uuid"), "no run continued a save"),
    **dict.fromkeys(("saves.names", "saves.save", "saves.save_uuid"), "every attempt failed"),
    **dict.fromkeys(("sessions.end_tick", "sessions.end_seconds"), "everyone stayed to the end of the recording"),
    "sessions.reason": "no session ended with a word of the server or the client",
    **dict.fromkeys(
        ("sessions.took_over_player", "sessions.taken_over_ticks"), "nobody used a timeout code again"
    ),
    "teams.practice": "no team entered or left practice",
    **dict.fromkeys(("teams.target_client", "teams.target_player"), "no two players swapped"),
}
#: Since when servers record others: extension, DDNet's version, tables and columns.
_SINCE = (
    (ex.Antibot, "17.3", "antibot"),
    (ex.AuthLogin, "11.0.3", "auth *.auth_level"),
    (ex.PlayerFinish, "18.3", "finishes runs"),
    (ex.SaveSuccess, "14.0.2", "saves"),
    (ex.PlayerTeam, "15.6", "teams *.team"),
    (ex.PlayerReady, "16.0", "sessions.ready_tick"),
    (ex.DDNetVersion, "13.2", "sessions.ddnet_version sessions.ddnet_version_text sessions.connection_uuid"),
)


def unfilled_reasons(header: Header) -> Mapping[str, str]:
    """Return the reasons, as `Replay._unfilled_reasons` wants them."""
    since = {
        name: version
        for record, version, names in _SINCE
        if record.extension_name not in header.extension_names
        for name in names.split()
    }
    if header.version_minor is None:
        since["info.build"] = "15.6"
    recorded = {name: f"servers record it since DDNet {version}" for name, version in since.items()}
    if "auth" in since:
        recorded["commands.auth_level"] = recorded["auth"]
    return _UNFILLED | recorded
