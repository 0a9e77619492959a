"""The names of the members that replays have; they are looked up in every archive.

A member with another name still appears in the table ``members``, by block number.
"""

from __future__ import annotations

DETAILS = "replay.details"
DETAILS_BACKUP = "replay.details.backup"
METADATA = "replay.gamemetadata.json"
#: The same facts in the tagged encoding; found in two replays of 3.4.
METADATA_STRUCT = "replay.gamemetadata"
#: Only builds 0.2 to 0.10.
REPLAY_INFO = "replay.info"
TRACKER_EVENTS = "replay.tracker.events"
GAME_EVENTS = "replay.game.events"
MESSAGE_EVENTS = "replay.message.events"
INIT_DATA = "replay.initData"
INIT_DATA_BACKUP = "replay.initData.backup"
GAME_ATTRIBUTES = "replay.attributes.events"
SYNC_EVENTS = "replay.sync.events"
RESUMABLE = "replay.resumable.events"

LOAD_INFO = "replay.load.info"
SYNC_HISTORY = "replay.sync.history"
SMARTCAM = "replay.smartcam.events"
BATTLE_LOBBY = "replay.server.battlelobby"
#: A JPEG picture of the map; only builds 0.2 to 0.10.
PREVIEW = "save.jpg"

LISTFILE = "(listfile)"
ATTRIBUTES = "(attributes)"

KNOWN_NAMES: tuple[str, ...] = (
    *(REPLAY_INFO, PREVIEW, DETAILS, DETAILS_BACKUP, INIT_DATA, INIT_DATA_BACKUP, GAME_ATTRIBUTES),
    *(GAME_EVENTS, MESSAGE_EVENTS, TRACKER_EVENTS, SYNC_EVENTS, SYNC_HISTORY, SMARTCAM, LOAD_INFO, RESUMABLE),
    *(BATTLE_LOBBY, METADATA, METADATA_STRUCT, LISTFILE, ATTRIBUTES, "(signature)", "(user data)"),
)
