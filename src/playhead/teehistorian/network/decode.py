"""Decodes payloads of network messages to records, by the protocol of the client; `PlayerInfo` of either one."""

from __future__ import annotations

from uuid import UUID

from playhead.bits import ByteReader, ByteWriter
from playhead.errors import CorruptReplay
from playhead.runtime.records import dataclass
from playhead.teehistorian.network import extended, seven, six
from playhead.teehistorian.network.records import NetworkRecord, read_record, write_record


@dataclass(frozen=True, slots=True)
class PlayerInfo:
    """The content of one message.

    Attributes:
        entering: sent on entering, not as a change.
        name, clan, country: None if the message does not contain them (a 0.7 client can only change its skin).
        skin: name of the skin; for 0.7, the names of its six parts joined by blanks.
        colors: colours of body and feet, as the game packs them; None if the skin has its own.
    """

    entering: bool
    name: str | None
    clan: str | None
    country: int | None
    skin: str
    colors: tuple[int, int] | None = None


# The first byte of a packed int has its six lowest bits, for any length of the encoding.
_LOW_BITS = 0x3F
_STARTS = frozenset(
    record.number << 1 & _LOW_BITS for record in (six.StartInfo, six.ChangeInfo, seven.StartInfo, seven.SkinChange)
)


def may_describe_player(data: bytes) -> bool:
    """Return whether `player_info` may support a payload: a fast check that avoids decoding most payloads."""
    return bool(data) and data[0] & _LOW_BITS in _STARTS


def player_info(record: NetworkRecord | None) -> PlayerInfo | None:
    """Return the player info of a record; None for other messages."""
    match record:
        case six.StartInfo() | six.ChangeInfo():
            entering = isinstance(record, six.StartInfo)
            colors = (record.color_body, record.color_feet) if record.use_custom_color else None
            return PlayerInfo(entering, record.name, record.clan, record.country, record.skin, colors)
        case seven.StartInfo():
            return PlayerInfo(True, record.name, record.clan, record.country, " ".join(record.skin_parts))
        case seven.SkinChange():
            return PlayerInfo(False, None, None, None, " ".join(record.skin_parts))
        case _:
            return None


_BY_PROTOCOL = {6: six.MESSAGES, 7: seven.MESSAGES}


@dataclass(frozen=True, slots=True)
class NetworkMessage:
    """A recorded network message. Clients are not checked: fields may contain any value.

    Attributes:
        protocol: 6 or 7; None if neither the file nor the message shows it.
        system: the flag of engine messages, which no known server records.
        number: 0 for an extended message; None for a payload without a complete number.
        uuid: UUID of an extended message, else None.
        kind: name of a known message, else None.
        record: its fields; None for an unknown or malformed message.
        rest: the undecoded bytes: after the fields, or all after the number or UUID.
    """

    protocol: int | None
    system: bool
    number: int | None
    uuid: UUID | None
    kind: str | None
    record: NetworkRecord | None
    rest: bytes


def decode_network(data: bytes, protocol: int | None) -> NetworkMessage:
    """Decode the message in a payload. A malformed message raises no error: the server recorded it as received.

    Args:
        data: the payload.
        protocol: 6, 7, or None if unknown. Then a message that fits exactly one protocol up to its last byte is
            decoded by that protocol; others have no record.
    """
    reader = ByteReader(data)
    uuid: UUID | None = None
    try:
        head = reader.read_packed_int()
        number = head >> 1
        if number == 0:
            uuid = UUID(bytes=reader.read_bytes(16))
    except CorruptReplay:
        return NetworkMessage(protocol, False, None, None, None, None, data)
    system = bool(head & 1)
    start = reader.tell()
    if system:
        return NetworkMessage(protocol, system, number, uuid, None, None, data[start:])
    if uuid is not None:
        return _decode_as(extended.MESSAGES.get(uuid), data, start, protocol, 0, uuid)
    if protocol is not None:
        return _decode_as(_BY_PROTOCOL[protocol].get(number), data, start, protocol, number, None)
    tried = [_decode_as(table.get(number), data, start, p, number, None) for p, table in _BY_PROTOCOL.items()]
    fitting = [message for message in tried if message.record is not None and not message.rest]
    if len(fitting) == 1:
        return fitting[0]
    return NetworkMessage(None, False, number, None, None, None, data[start:])


def _decode_as(
    record: type[NetworkRecord] | None,
    data: bytes,
    start: int,
    protocol: int | None,
    number: int,
    uuid: UUID | None,
) -> NetworkMessage:
    if record is None:
        return NetworkMessage(protocol, False, number, uuid, None, None, data[start:])
    reader = ByteReader(data, start)
    try:
        decoded = read_record(record, reader)
    except CorruptReplay:
        return NetworkMessage(protocol, False, number, uuid, record.kind, None, data[start:])
    return NetworkMessage(protocol, False, number, uuid, record.kind, decoded, data[reader.tell() :])


def encode_network(record: NetworkRecord) -> bytes:
    """Return the payload of a record."""
    out = ByteWriter()
    out.write_packed_int(record.number << 1)
    if record.uuid is not None:
        out.write_bytes(record.uuid.bytes)
    write_record(record, out)
    return out.to_bytes()
