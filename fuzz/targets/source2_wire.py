"""Protobuf messages. The first byte selects the definition."""

from __future__ import annotations

from playhead.source2.messages import wire
from playhead.source2.messages.wire_decoder import field_bytes

MESSAGES = (
    "CDemoFileHeader CDemoFileInfo CDemoPacket CDemoFullPacket CDemoStringTables CDemoSendTables CDemoClassInfo "
    "CSVCMsg_FlattenedSerializer CSVCMsg_ServerInfo CSVCMsg_CreateStringTable CSVCMsg_UpdateStringTable "
    "CSVCMsg_PacketEntities CSVCMsg_GameEventList CMsgPlayerInfo CUserMessageSayText2"
).split()


def fuzz(data: bytes) -> None:
    if data:
        field_bytes(data[1:], data[0] & 15)
        wire.decode(MESSAGES[data[0] % len(MESSAGES)], data[1:])
