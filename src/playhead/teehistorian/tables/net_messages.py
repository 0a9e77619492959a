"""Table ``net_messages``: recorded game network messages of clients."""

from __future__ import annotations

from playhead.tables import Column, TableSchema
from playhead.tables.shared import SECONDS, TICK
from playhead.teehistorian.network import NetworkRecord
from playhead.teehistorian.network.records import record_fields
from playhead.teehistorian.state.tracker import RareMessage
from playhead.teehistorian.stream.messages import NetMessage
from playhead.teehistorian.stream.text import printable
from playhead.teehistorian.tables import TABLES
from playhead.teehistorian.tables.builder import RowBuilder
from playhead.teehistorian.tables.columns import CLIENT, NAME, SESSION
from playhead.text.json import to_json

NET_MESSAGES = TableSchema.of(
    "net_messages",
    "One row for each network message. DDNet's servers leave out the numbers 17, 24 and 25 (0.6: chat, "
    "votes, calls of votes; 0.7: chat and team changes), engine messages, and all that they send "
    "themselves.",
    TICK,
    SECONDS,
    CLIENT,
    SESSION,
    NAME,
    Column("protocol", "int32", "6 or 7: what the client speaks; null if neither file nor message says."),
    Column("system", "bool", "The flag of engine messages, which no known server records."),
    Column("number", "int32", "Message number in that protocol; 0: the message is known by `uuid`."),
    Column("uuid", "string", "UUID of an extended message; else null."),
    Column("kind", "category", "start_info, emoticon, show_distance …; null if the number is not known."),
    Column(
        "fields",
        "string",
        "The fields as a JSON object, unchecked; null if the message is not known or not whole. "
        "`teehistorian.network` says what they are.",
    ),
    Column("unread_bytes", "int32", "Bytes behind the fields that are not understood.", "bytes"),
    Column("raw", "binary", "The whole message as it arrived."),
    version=2,
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
            number=decoded.number,
            uuid=None if decoded.uuid is None else str(decoded.uuid),
            kind=decoded.kind,
            fields=None if decoded.record is None else _json(decoded.record),
            unread_bytes=len(decoded.rest),
            raw=message.data,
        )


def _json(record: NetworkRecord) -> str:
    return printable(to_json(record_fields(record)))
