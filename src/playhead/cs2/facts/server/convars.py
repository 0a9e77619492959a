"""Table ``convars``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playhead.cs2.facts import TABLES
from playhead.cs2.facts.columns import TIME
from playhead.cs2.sources.match import Cs2Facts
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema

_MESSAGE = "net_SetConVar"

CONVARS = TableSchema.of(
    "convars",
    "One row for each setting of the server that the recording tells (net_SetConVar), at the sign-on and at "
    "each change.",
    *TIME,
    Column("convar", "string", "Name of the setting: mp_freezetime."),
    Column("value", "string", "Its value as the server sent it."),
)


@TABLES.maker_of(CONVARS)
class Convars(Cs2Facts):
    """Table ``convars``."""

    def attach(self, playback: Playback) -> None:
        self.match.on_fields(playback, _MESSAGE, self._on_convars)

    def _on_convars(self, tick: int, fields: Mapping[Any, Any]) -> None:
        for each in (fields.get("convars") or {}).get("cvars", ()):
            self._rows.append({"tick": tick, "convar": each.get("name"), "value": each.get("value")})
