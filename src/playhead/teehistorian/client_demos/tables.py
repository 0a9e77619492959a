"""The tables of a demo."""

from __future__ import annotations

from playhead.events import EventSource
from playhead.tables import Column, TableSchema
from playhead.tables.shared import CHAT
from playhead.tables.shared import POSITIONS as SHARED
from playhead.tables.vocabulary import word, words
from playhead.teehistorian.stream.messages import WEAPONS

POSITIONS = TableSchema.of(
    "positions",
    "One row for each tee of a snapshot that is new or has changed. A demo of a client has the tees near it.",
    *SHARED.columns,
    *words("client velocity_x velocity_y direction"),
    word("weapon", f"{', '.join(WEAPONS)}."),
    group="series",
)
ITEMS = TableSchema.of(
    "snapshot_items",
    "One row for each item of a snapshot that is new, or different from the snapshot before, or gone.",
    *words("tick seconds"),
    Column(
        "item_type",
        "category",
        "Its name, a number if it has none here, or the UUID of an extension.",
        required=True,
    ),
    Column("item_number", "int32", "Its number among those of the type: of a person the client."),
    Column("item_values", "list<int32>", "Its fields as the protocol has them; null if it is gone."),
    group="log",
)
TABLES = (CHAT, POSITIONS, ITEMS)
EVENTS = (EventSource("chat_sent", "A line of chat.", "chat"),)

#: Names of the types of items.
NAMES = dict(
    enumerate(
        "projectile laser pickup flag game_info game_data character_core character player_info client_info "
        "spectator_info common explosion spawn hammer_hit death sound_global sound_world damage_indicator".split(),
        2,
    )
)
