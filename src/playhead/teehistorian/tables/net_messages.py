"""Table ``net_messages``: recorded game network messages of clients."""

from __future__ import annotations

from playhead.tables import Column, TableSchema
from playhead.tables.vocabulary import word, words
from playhead.teehistorian.network import NetworkRecord
from playhead.teehistorian.network.records import record_fields
from playhead.teehistorian.state.tracker import RareMessage
from playhead.teehistorian.stream.messages import NetMessage
from playhead.teehistorian.stream.text import printable
from playhead.teehistorian.tables import TABLES
from playhead.teehistorian.tables.builder import RowBuilder
from playhead.text.json import to_json

NET_MESSAGES = TableSchema.of(
    "net_messages",
    "One row for each network message. DDNet's servers leave out the numbers 17, 24 and 25 (0.6: chat, "
    "votes, calls of votes; 0.7: chat and team changes), engine messages, and all that they send "
    "themselves.",
    *words("tick seconds client player name"),
    word("protocol", "Null if neither file nor message says."),
    Column("system", "bool", "The flag of engine messages, which no known server records."),
    word("message", "start_info, emoticon, show_distance …"),
    word("message_id", "In that protocol; 0: the message is known by `message_uuid`."),
    Column("message_uuid", "string", "UUID of an extended message; else null."),
    word(
        "fields", "Unchecked; null if the message is unknown or incomplete. `teehistorian.network` describes them."
    ),
    Column("unread_bytes", "int64", "Bytes after the fields that are not understood.", "bytes"),
    word("data", "The whole message."),
    group="messages",
)


@TABLES.maker_of(NET_MESSAGES)
class NetMessages(RowBuilder):
    """Builds table ``net_messages``."""

    handles = (NetMessage,)

    def on_message(self, rare: RareMessage) -> None:
        message = rare.message
        decoded = rare.network
        if not isinstance(message, NetMessage) or decoded is None:
            return
        self._add(
            rare.tick,
            rare.connection,
            client=message.cid,
            protocol=decoded.protocol,
            system=decoded.system,
            message_id=decoded.number,
            message_uuid=None if decoded.uuid is None else str(decoded.uuid),
            message=decoded.kind,
            fields=None if decoded.record is None else _json(decoded.record),
            unread_bytes=len(decoded.rest),
            data=message.data,
        )


def _json(record: NetworkRecord) -> str:
    return printable(to_json(record_fields(record)))
