"""The members that replays have, by name: what is looked up in every archive.

Names never seen here still show in the table ``members``, by block number.
"""

from __future__ import annotations

DETAILS = "replay.details"
DETAILS_BACKUP = "replay.details.backup"
METADATA = "replay.gamemetadata.json"
#: The same facts in the tagged encoding; seen in two replays of 3.4.
METADATA_STRUCT = "replay.gamemetadata"
REPLAY_INFO = "replay.info"
TRACKER_EVENTS = "replay.tracker.events"
GAME_EVENTS = "replay.game.events"
MESSAGE_EVENTS = "replay.message.events"
INIT_DATA = "replay.initData"
INIT_DATA_BACKUP = "replay.initData.backup"
GAME_ATTRIBUTES = "replay.attributes.events"
SYNC_EVENTS = "replay.sync.events"
RESUMABLE = "replay.resumable.events"

LISTFILE = "(listfile)"
ATTRIBUTES = "(attributes)"

KNOWN_NAMES: tuple[str, ...] = (
    "replay.info",  # only builds 0.2 to 0.10
    "save.jpg",  # only builds 0.2 to 0.10
    DETAILS,
    DETAILS_BACKUP,
    INIT_DATA,
    INIT_DATA_BACKUP,
    GAME_ATTRIBUTES,
    GAME_EVENTS,
    MESSAGE_EVENTS,
    TRACKER_EVENTS,
    SYNC_EVENTS,
    "replay.sync.history",
    "replay.smartcam.events",
    "replay.load.info",
    RESUMABLE,
    "replay.server.battlelobby",
    METADATA,
    METADATA_STRUCT,
    LISTFILE,
    ATTRIBUTES,
    "(signature)",
    "(user data)",
)
