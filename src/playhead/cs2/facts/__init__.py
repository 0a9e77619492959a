"""Facts of a CS2 match: one module per group of tables, each made by a collector.

All collectors share one pass over the recording. A new group of facts is a new module here; see
`playhead.tables.registry`.
"""

from __future__ import annotations

from playhead.runtime.typing import TYPE_CHECKING
from playhead.source2.tables import TABLES as ENGINE_TABLES
from playhead.tables.registry import TableRegistry
from playhead.tables.vocabulary import word, words

if TYPE_CHECKING:
    from playhead.source2.playback.collector import Collector
    from playhead.tables.schema import Column

TABLES: TableRegistry[type[Collector]] = TableRegistry(
    __name__,
    base=ENGINE_TABLES,
    replaces=("chat",),
    first=("damage", "kills", "rounds"),
    last=("duels", "positions", "skins", "spotted"),
)

ROUND = words("round_num counts")
TIME = (*words("tick seconds game_seconds"), *ROUND)
END = words("end_tick end_seconds end_game_seconds")
PLACE = words("x y z")
WEAPON = word("weapon", "Without `weapon_`: ak47, knife, hegrenade.")


def person(role: str = "", *, state: bool = False) -> tuple[Column, ...]:
    """Return the columns of a person with a role such as ``attacker_``; with `state`, its place and health after
    the packet.
    """
    names = "player name side x y z pitch yaw health place" if state else "player name side"
    return words(" ".join(role + name for name in names.split()))
