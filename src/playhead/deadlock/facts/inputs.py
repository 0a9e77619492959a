"""Tables ``inputs`` and ``voice``: commands of all players, and packets of voice chat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from playhead.deadlock.facts import TABLES
from playhead.deadlock.facts.columns import GAME_SECONDS, TIME, person_columns, person_row
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.errors import ReplayError
from playhead.source2.messages.definitions import enumeration
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.user_commands import server_commands
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import INPUTS

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.source2.playback.playback import Playback

_COMMANDS = "svc_UserCmds"

DEADLOCK_INPUTS = INPUTS.extended(
    2,
    GAME_SECONDS,
    *list(person_columns())[1:],
    Column("number", "int64", "Counts the player's commands."),
    Column("server_tick", "int64", "Tick of the server at which it ran; null if not sent.", "ticks"),
    Column("client_tick", "int64", "Tick of the client for which it was made; null if not sent.", "ticks"),
    Column("buttons", "uint64", "Bits of the held buttons: buttonstate1."),
    Column("buttons_changed", "uint64", "Bits of the buttons that changed: buttonstate2."),
    Column("forward", "float64", "forwardmove, -1 to 1; null if not sent."),
    Column("left", "float64", "leftmove, -1 to 1; null if not sent."),
    Column("pitch", "float64", "viewangles; positive is down.", "°"),
    Column("yaw", "float64", "viewangles, counterclockwise from the east.", "°"),
    *(Column(f"camera_{axis}", "float64", "vec_camera_position.", "world units") for axis in "xyz"),
    Column("mouse_x", "int32", "mousedx; null if not sent."),
    Column("mouse_y", "int32", "mousedy; null if not sent."),
    Column("in_shop", "bool", "The shop is open; false if not sent."),
    Column("aimed_at", "int32", "enemy_hero_aimed_at: the game's number; null if not sent."),
    Column("is_delta", "bool", "The command was sent as a delta, which is not decoded."),
)
VOICE = TableSchema(
    name="voice",
    version=1,
    doc="One row for each packet of voice: svc_VoiceData.",
    columns=(
        *TIME,
        *person_columns("", "the speaker, by Steam id or client"),
        Column("account", "string", "Steam id of the message; null if it has none."),
        Column("client", "int32", "client_deprecated of the message; null if not sent."),
        Column("format", "category", "VoiceDataFormat_t without its prefix: STEAM, ENGINE or OPUS."),
        Column("data", "binary", "The packet as it is."),
        Column("sample_rate", "int64", "Samples a second; null if not sent.", "1/s"),
        Column("section", "int64", "section_number: counts stretches of speech; null if not sent."),
        Column("level", "float64", "voice_level, 0 to 1; null if not sent."),
    ),
)


@TABLES.add
class DeadlockInputs(DeadlockFacts):
    """Table ``inputs``."""

    schemas: ClassVar[Sequence[TableSchema]] = (DEADLOCK_INPUTS,)

    def __init__(self, match: DeadlockMatch) -> None:
        super().__init__(match)
        self._rows: list[dict[str, Any]] = []

    def attach(self, playback: Playback) -> None:
        playback.on_message(self.match.number(_COMMANDS), self._on_commands)

    def _on_commands(self, tick: int, payload: bytes) -> None:
        try:
            for entry in server_commands(payload, self.match.game):
                row: dict[str, Any] = {"tick": tick, "player": entry.slot, "kind": "command"}
                row |= person_row(self.match.people.slot(entry.slot))
                row |= {"number": entry.number, "server_tick": entry.server_tick, "client_tick": entry.client_tick}
                row["is_delta"] = entry.command is None
                if entry.command is not None:
                    row |= _command(entry.command.base.get, entry.command.own.get)
                self._rows.append(row)
        except ReplayError as error:
            self.match.problem(error, tick, "commands of players")

    def tables(self) -> Mapping[str, pa.Table]:
        return {INPUTS.name: self.match.table(DEADLOCK_INPUTS, self._rows)}


def _command(base: Any, own: Any) -> dict[str, Any]:
    """Return the columns of a command from its fields and the game's own."""
    buttons, view, camera = base("buttons_pb") or {}, base("viewangles"), own("vec_camera_position")
    row = {
        "buttons": buttons.get("buttonstate1", 0),
        "buttons_changed": buttons.get("buttonstate2", 0),
        "forward": base("forwardmove"),
        "left": base("leftmove"),
        "pitch": None if view is None else view.get("x", 0.0),
        "yaw": None if view is None else view.get("y", 0.0),
        "mouse_x": base("mousedx"),
        "mouse_y": base("mousedy"),
        "in_shop": bool(own("in_shop")),
        "aimed_at": own("enemy_hero_aimed_at"),
    }
    if base("client_tick") is not None:
        row["client_tick"] = base("client_tick")
    return row | {f"camera_{axis}": None if camera is None else camera.get(axis, 0.0) for axis in "xyz"}


@TABLES.add
class DeadlockVoice(DeadlockFacts):
    """Table ``voice``."""

    schemas: ClassVar[Sequence[TableSchema]] = (VOICE,)

    def __init__(self, match: DeadlockMatch) -> None:
        super().__init__(match)
        self._rows: list[dict[str, Any]] = []

    def attach(self, playback: Playback) -> None:
        self.match.on_fields(playback, int(Engine.VOICE_DATA), self._on_voice)

    def _on_voice(self, tick: int, fields: Mapping[Any, Any]) -> None:
        account, client = fields.get("xuid") or None, fields.get("client_deprecated")
        audio = fields.get("audio") or {}
        people = self.match.people
        owner = next((each for each in people.controllers() if each.get("m_steamID") == account), None)
        person = people.slot(client) if owner is None else people.person(owner)
        word = audio.get("format")
        if isinstance(word, int):
            word = {number: name for name, number in enumeration("VoiceDataFormat_t").items()}.get(word, str(word))
        self._rows.append(
            {
                "tick": tick,
                **person_row(person),
                "account": None if account is None else str(account),
                "client": client,
                "format": None if word is None else word.removeprefix("VOICEDATA_FORMAT_"),
                "data": audio.get("voice_data"),
                "sample_rate": audio.get("sample_rate"),
                "section": audio.get("section_number"),
                "level": audio.get("voice_level"),
            }
        )

    def tables(self) -> Mapping[str, pa.Table]:
        return {VOICE.name: self.match.table(VOICE, self._rows)}
