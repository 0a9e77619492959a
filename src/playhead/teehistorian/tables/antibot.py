"""Table ``antibot``: data of the anti-cheat module."""

from __future__ import annotations

from playhead.tables import TableSchema
from playhead.tables.vocabulary import words
from playhead.teehistorian.state.tracker import RareMessage
from playhead.teehistorian.stream.extensions import Antibot
from playhead.teehistorian.tables import TABLES
from playhead.teehistorian.tables.builder import RowBuilder

ANTIBOT = TableSchema.of(
    "antibot",
    "One row for each piece of data from the closed anti-cheat module; what it means is not public. Since 17.3.",
    *words("tick seconds bytes data"),
    group="log",
)


@TABLES.maker_of(ANTIBOT)
class AntibotData(RowBuilder):
    """Builds table ``antibot``."""

    handles = (Antibot,)

    def on_message(self, rare: RareMessage) -> None:
        if isinstance(rare.extension, Antibot):
            data = rare.extension.data
            self._add(rare.tick, None, bytes=len(data), data=data)
