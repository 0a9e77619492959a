"""Message numbers: the engine's equal the definitions, and a game's come from them."""

from __future__ import annotations

import re

import pytest

from playhead.source2.messages.definitions import message_numbers
from playhead.source2.messages.numbers import Engine, command_names, message_names, message_number

# Members whose names differ from the definitions in more than letter case.
_OTHER_NAMES = {
    Engine.GAME_EVENT_LIST: "GE_Source1LegacyGameEventList",
    Engine.GAME_EVENT: "GE_Source1LegacyGameEvent",
    Engine.SOS_START_SOUND: "GE_SosStartSoundEvent",
    Engine.SOS_STOP_SOUND: "GE_SosStopSoundEvent",
    Engine.SOS_SET_PARAMETERS: "GE_SosSetSoundEventParams",
    Engine.SOS_SET_STACK_FIELDS: "GE_SosSetLibraryStackFields",
    Engine.SOS_STOP_SOUND_HASH: "GE_SosStopSoundEventHash",
}


@pytest.mark.parametrize("word", [name for name in vars(Engine) if name.isupper()])
def test_engine_numbers_equal_the_definitions(word: str) -> None:
    message = getattr(Engine, word)
    name = message_numbers("")[message].name
    if message in _OTHER_NAMES:
        assert name == _OTHER_NAMES[message]
    else:
        plain = word.replace("_", "").lower()
        assert re.sub("^(svc|um)_", "", name.lower()).replace("_", "") == plain


def test_numbers_of_a_game_by_name() -> None:
    assert message_number("dota2", "DOTA_UM_ChatEvent") == 466
    assert message_number("dota2", "net_Tick") == message_number("cs2", "net_Tick") == Engine.NET_TICK
    assert message_names("dota2")[466] == "DOTA_UM_ChatEvent"
    with pytest.raises(KeyError, match="no message 'DOTA_UM_ChatEvent' in cs2"):
        message_number("cs2", "DOTA_UM_ChatEvent")


def test_commands_have_names_without_gaps() -> None:
    commands = command_names()
    assert list(commands) == list(range(19))
    assert (commands[0], commands[7], commands[18]) == ("DEM_Stop", "DEM_Packet", "DEM_Recovery")
