"""User commands: keys, mouse and view angles that a client sent for a tick.

A recording by a player has its own commands, one a UserCmd frame. The frame is CDemoUserCmd: the command's number,
and bytes, which are a varint with the size of the rest, and a message of the game's own, whose field 1 is
CBaseUserCmdPB. Verified on all 1,807 of a Dota 2 recording of build 9358, of whose own fields (3, 5, 6, 8, 9, 10)
no definition is known.

CS2 and Deadlock servers write the commands of every player into their recordings: svc_UserCmds, with the same
message, without its size. Verified on all 20,662 of six recordings; of older clients, one keeps CSubtickMoveStep 6
and 7 and CSGOUserCmdPB 8 as numbers. CS2 servers since July 2026 send most commands as a delta against
the player's command before (`apply_delta`): whole ones are the first of a slot, and
those whose number does not rise, which the server made itself. Those in full packets are the state for a seek, and
were sent before; the game delivers none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from playhead.bits import ByteReader
from playhead.errors import CorruptReplay, LimitExceeded, ReplayError
from playhead.runtime.records import NamedTuple
from playhead.runtime.typing import Any
from playhead.source2.games import GAMES, UNKNOWN_GAME
from playhead.source2.messages import wire
from playhead.source2.messages.definitions import FieldDef, enumeration, fields
from playhead.tables.vocabulary import word, words

RESET, SIZED = 7, 2
_FIXED = {1: 8, 5: 4}
#: Most elements of a list; the game refuses longer ones.
MOST_ELEMENTS = 256

Values = Mapping[Any, Any]
#: Returns the fields of bytes as a definition of the game.
Decode = Callable[[str, bytes | memoryview], dict[str | int, Any]]


def apply_delta(before: Values, delta: bytes, message: str, game: str, decode: Decode) -> dict[str | int, Any]:
    """Return a command as the delta changes it; `before` stays as it is.

    A delta is the wire form of protobuf with two changes. Wire type 7 takes a field back to its default. The bytes
    of a list of messages are operations: a varint ``index * 8 + 7`` sets the length of the list, ``index * 8 + 2``
    and a sized message change the element. Messages inside others, and elements, are merged; a field that is not
    sent keeps its value. We have no recording with such commands: the form is that which demoinfocs-golang (pull
    request 669) and demoparser (pull requests 348, 352) published.

    Args:
        before: the earlier command, as `wire.decode` returns it.
        delta: bytes of the delta.
        message: name of the message's definition.
        game: whose definition it is.
        decode: decodes the values that the delta sets.
    """
    known = {field.number: field for field in fields(message, game)}
    after = dict(before)
    plain = bytearray()
    reader = ByteReader(delta)
    while reader.remaining():
        start = reader.tell()
        tag = reader.read_varuint64()
        number, form = tag >> 3, tag & 7
        field = known.get(number)
        name = number if field is None else field.name
        if number == 0:
            raise CorruptReplay("expected a field of a command, found number 0")
        if form == RESET:
            after.pop(name, None)
            continue
        content = _skip(reader, form)
        if field is None or field.kind != "message" or form != SIZED:
            # A value replaces the earlier one; the decoder of messages decodes it.
            after.pop(name, None)
            plain += delta[start : reader.tell()]
        elif field.repeated:
            after[field.name] = _apply_to_list(after.get(field.name, ()), content, field, game, decode)
        else:
            after[field.name] = apply_delta(after.get(field.name, {}), content, _target(field), game, decode)
    return after | decode(message, bytes(plain)) if plain else after


def _apply_to_list(before: Any, operations: bytes, field: FieldDef, game: str, decode: Decode) -> list[Values]:
    elements: list[Values] = list(before)
    reader = ByteReader(operations)
    while reader.remaining():
        key = reader.read_varuint64()
        index, form = key >> 3, key & 7
        if form == RESET:
            if index > MOST_ELEMENTS:
                raise CorruptReplay(f"expected at most {MOST_ELEMENTS} elements of {field.name}, found {index}")
            elements = elements[:index] + [{}] * (index - len(elements))
        elif form == SIZED and index < len(elements):
            elements[index] = apply_delta(elements[index], _skip(reader, form), _target(field), game, decode)
        else:
            raise CorruptReplay(
                f"expected a change of one of {len(elements)} elements of {field.name}, found number {index} "
                f"with wire type {form}"
            )
    return elements


def _target(field: FieldDef) -> str:
    assert field.target is not None
    return field.target


def _skip(reader: ByteReader, form: int) -> bytes:
    """Skip a value; return the content of a sized one."""
    if form == SIZED:
        return reader.read_bytes(reader.read_varuint32())
    if form == 0:
        reader.read_varuint64()
    elif form in _FIXED:
        reader.skip(_FIXED[form])
    else:
        raise CorruptReplay(f"expected a value of a command, found wire type {form}")
    return b""


#: Elements of lists that deltas may have whatever their size, and for each byte. Real ones have 5 in 20 bytes.
_FREE_ELEMENTS, _ELEMENTS_PER_BYTE = 1 << 16, 4
_Known = tuple[int, dict[str | int, Any] | None]


class UserCommand(NamedTuple):
    """One command.

    Attributes:
        number: counts a client's commands.
        base: CBaseUserCmdPB by name of field: client_tick, viewangles, mousedx …
        own: the game's own fields, by name, or by number where no definition is known.
    """

    number: int
    base: Mapping[str | int, Any]
    own: Mapping[str | int, Any]


class ServerCommand(NamedTuple):
    """A command as the server writes it into its recording.

    Attributes:
        slot: slot of the player.
        number: counts a client's commands.
        server_tick: tick of the server at which it ran; None if not sent.
        client_tick: tick of the client for which it was made; None if not sent.
        command: the command; None if it was sent as a delta that cannot be applied.
        delta: bytes of the delta against the command before; empty if the command was sent whole.
        error: why the delta cannot be applied; None if it can, and if the game refuses it as well, since its
            number is below that of the command before.
    """

    slot: int
    number: int
    server_tick: int | None
    client_tick: int | None
    command: UserCommand | None
    delta: bytes
    error: ReplayError | None = None


#: Columns that tables of commands of all games share, in the order of `command_values`.
COMMAND_COLUMNS: tuple[str, ...] = (
    *("command_number", "server_tick", "client_tick", "is_delta"),
    *("buttons", "buttons_changed", "buttons_pressed", "buttons_released"),
    *("forward", "left", "pitch", "yaw", "mouse_x", "mouse_y"),
)
_LOST = (None,) * 10


def command_values(entry: ServerCommand) -> tuple[Any, ...]:
    """Return the values of `COMMAND_COLUMNS`; a lost delta has the first four only, the rest is null."""
    client_tick, is_delta = entry.client_tick, bool(entry.delta)
    if entry.command is None:
        return (entry.number, entry.server_tick, client_tick, is_delta, *_LOST)
    get = entry.command.base.get
    held = changed = again = 0
    if buttons := get("buttons_pb"):
        held = buttons.get("buttonstate1", 0)
        changed = buttons.get("buttonstate2", 0)
        again = buttons.get("buttonstate3", 0)
    view, sent_tick = get("viewangles"), get("client_tick")
    return (
        entry.number,
        entry.server_tick,
        client_tick if sent_tick is None else sent_tick,
        is_delta,
        held,
        changed,
        # The three bits of a button are one number, the course of the tick: 0 up, 1 down, 2 down to up, 3 up to
        # down, 4 up, down, up, 5 down, up, down, 6 down, up, down, up, 7 up, down, up, down.
        held & changed | again,
        changed & ~held | again,
        get("forwardmove", 0.0),
        get("leftmove", 0.0),
        None if view is None else view.get("x", 0.0),
        None if view is None else view.get("y", 0.0),
        get("mousedx", 0),
        get("mousedy", 0),
    )


def decode_user_command(payload: bytes | memoryview, game: str = "", decode: Decode | None = None) -> UserCommand:
    """Return the command in the payload of a UserCmd frame."""
    decode = decode or partial(wire.decode, game=game)
    outer = decode("CDemoUserCmd", payload)
    reader = ByteReader(outer.get("data", b""))
    size = reader.read_varuint32()
    if size != reader.remaining():
        raise CorruptReplay(f"expected a user command of {size} bytes, found {reader.remaining()}")
    message = GAMES.get(game, UNKNOWN_GAME).user_command
    return _command(outer.get("cmd_number", 0), decode(message, reader.read_bytes(size)))


class ServerCommands:
    """Decodes the commands of a recording in its order.

    The game keeps the last 150 commands of a slot by their number. A delta applies to the one whose number the
    slot's command before had; if another is in its place, the game refuses the delta and keeps its command. That
    number is always the latest, so one command a slot with its number is as good, and long ones do not add up.
    """

    def __init__(self, game: str, decode: Decode | None = None) -> None:
        self._game, self._decode = game, decode or partial(wire.decode, game=game)
        self._message = GAMES.get(game, UNKNOWN_GAME).user_command
        # The number of the latest command of a slot, and the command; None if it cannot be decoded.
        self._latest: dict[int, _Known] = {}
        # A delta of two bytes repeats the lists of the command before: their elements are paid for by bytes.
        self._left = _FREE_ELEMENTS

    def read(self, payload: bytes | memoryview) -> Iterator[ServerCommand]:
        """Yield the commands in a message svc_UserCmds of a packet, in its order.

        Raises:
            ReplayError: a whole one cannot be decoded; those before it have been yielded.
        """
        self._left += _ELEMENTS_PER_BYTE * len(payload)
        for entry in self._decode("CSVCMsg_UserCommands", payload).get("commands", ()):
            slot, number = entry.get("player_slot", 0), entry.get("cmd_number", 0)
            delta = entry.get("delta_data", b"")
            values, error = None, None
            if not delta or "data" in entry:
                self._latest.pop(slot, None)
                values = self._decode(self._message, entry.get("data", b""))
                self._latest[slot] = number, values
            late = delta and number < self._latest.get(slot, (number, None))[0]
            if delta and not late:
                try:
                    values = self._apply(slot, number, delta)
                except ReplayError as failed:
                    values, error = None, failed
            command = None if values is None else _command(number, values)
            ticks = entry.get("server_tick_executed"), entry.get("client_tick")
            yield ServerCommand(slot, number, *ticks, command, delta, error)

    def _apply(self, slot: int, number: int, delta: bytes) -> dict[str | int, Any]:
        known, before = self._latest.get(slot, (None, None))
        if known is None:
            raise CorruptReplay(f"expected a command before delta {number}, found none")
        self._latest[slot] = number, None
        if before is None:
            raise CorruptReplay(f"expected command {known} for delta {number}, found none that can be decoded")
        after = apply_delta(before, delta, self._message, self._game, self._decode)
        values = (value for part in (after, after.get("base", {})) for value in part.values())
        self._left -= sum(len(value) for value in values if isinstance(value, list))
        if self._left < 0:
            raise LimitExceeded("commands sent as deltas repeat more elements of lists than their bytes allow")
        self._latest[slot] = number, after
        return after


def _command(number: int, fields: Mapping[str | int, Any]) -> UserCommand:
    own = {**fields}
    return UserCommand(number, own.pop("base", {}), own)


_PREFIX = "VOICEDATA_FORMAT_"

VOICE_COLUMNS = (
    word("account", "Of the message; null if it has none."),
    word("client", "client_deprecated of the message; null if not sent."),
    word("encoding", "VoiceDataFormat_t without its prefix, in lower case: steam, engine, opus."),
    *words("data sample_rate section"),
    word("loudness", "voice_level, 0 to 1; null if not sent."),
)


def account_of(fields: Mapping[Any, Any]) -> int | None:
    """Return the Steam id of a message; None if it has none."""
    return fields.get("xuid") or None


def voice_row(fields: Mapping[Any, Any]) -> dict[str, Any]:
    """Return `VOICE_COLUMNS` of the fields of a message; a format without a name is its number."""
    account, audio = account_of(fields), fields.get("audio") or {}
    encoding = audio.get("format")
    if isinstance(encoding, int):
        names = {number: name for name, number in enumeration("VoiceDataFormat_t").items()}
        encoding = names.get(encoding, str(encoding))
    return {
        "account": None if account is None else str(account),
        "client": fields.get("client_deprecated"),
        "encoding": None if encoding is None else encoding.removeprefix(_PREFIX).lower(),
        "data": audio.get("voice_data"),
        "sample_rate": audio.get("sample_rate"),
        "section": audio.get("section_number"),
        "loudness": audio.get("voice_level"),
    }
