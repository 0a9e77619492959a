"""Numbers of messages by name, and names by number, as Valve's public definitions spell them.

The numbers that the engine's own code reads are `Engine`; those of a game come from the definitions by name. A
number without a name is kept and counted as it is: new ones appear with patches.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from playhead.source2.messages.definitions import enumeration, message_numbers, numbers_by_name


class Engine:
    """Numbers of the inner messages that mean the same in every game, as far as playhead reads or writes them."""

    NET_TICK = 4
    NET_SET_CON_VAR = 6
    NET_SIGNON_STATE = 7
    SERVER_INFO = 40
    CLASS_INFO = 42
    CREATE_STRING_TABLE = 44
    UPDATE_STRING_TABLE = 45
    VOICE_INIT = 46
    VOICE_DATA = 47
    SOUNDS = 49
    CLEAR_ALL_STRING_TABLES = 51
    PACKET_ENTITIES = 55
    STOP_SOUND = 59
    USER_MESSAGE = 72
    USER_CMDS = 76
    SAY_TEXT_2 = 118
    SEND_AUDIO = 130
    PARTICLE_MANAGER = 145
    GAME_EVENT_LIST = 205
    GAME_EVENT = 207
    SOS_START_SOUND = 208
    SOS_STOP_SOUND = 209
    SOS_SET_PARAMETERS = 210
    SOS_SET_STACK_FIELDS = 211
    SOS_STOP_SOUND_HASH = 212


#: Messages from here on are for the game's own code: user and entity messages, events, temporary entities.
FIRST_USER_MESSAGE = 100

_NO_COMMANDS = ("DEM_Error", "DEM_Max", "DEM_IsCompressed")


@cache
def command_names() -> Mapping[int, str]:
    """Return the names of outer frames by number: EDemoCommands."""
    return {number: name for name, number in enumeration("EDemoCommands").items() if name not in _NO_COMMANDS}


#: Numbers from here on are beyond those of all known messages.
MOST_NUMBERS = 2048


@cache
def unnamed_marks(game: str) -> bytes:
    """Return, by number up to `MOST_NUMBERS`, 1 for those that no definition of a game names, else 0."""
    marks = bytearray(b"\1" * MOST_NUMBERS)
    for number in numbers_by_name(game).values():
        marks[number] = 0
    return bytes(marks)


def message_number(game: str, name: str) -> int:
    """Return the number of a message of a game (``dota2``) by its name (``DOTA_UM_ChatEvent``).

    Raises:
        KeyError: the game has no message of that name.
    """
    number = numbers_by_name(game).get(name)
    if number is None:
        raise KeyError(f"no message {name!r} in {game}")
    return number


def message_names(game: str) -> dict[int, str]:
    """Return the names of the inner messages of a game (``dota2``, ``cs2``, ``deadlock``) by number."""
    return {number: entry.name for number, entry in message_numbers(game).items()}
