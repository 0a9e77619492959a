"""The origin of the stored definitions, and the definitions of each game."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import ModuleType

import pytest

from playhead.source2.messages import wire
from playhead.source2.messages.decoded import MessageDecoder
from playhead.source2.messages.definitions import (
    decoder,
    enumeration,
    fields,
    message_names,
    message_numbers,
    source,
)
from playhead.source2.messages.numbers import message_number

#: Numbers in the enumerations of a game for which its definitions have no message.
NO_MESSAGE = {
    "cs2": {
        "CS_UM_SayText_CSGOLegacy",
        "CS_UM_SayText2_CSGOLegacy",
        "CS_UM_TextMsg_CSGOLegacy",
        "CS_UM_UpdateTeamMoney_CSGOLegacy",
        "CS_UM_DisconnectToLobby2",
    },
    "deadlock": {
        "k_EUserMsg_AbilityFailed",
        "k_EUserMsg_AG2ParamTrigger",
        "GE_ServerRequestedTracer",
    },
}


def test_the_tool_reproduces_the_stored_definitions(tool: Callable[[str], ModuleType]) -> None:
    pytest.importorskip("gem", reason="gem-dota carries the descriptors that the definitions are made from")
    script = tool("build_source2_messages")
    kept = script.TARGET.read_bytes().decode()
    assert kept == script.file_text(script.build())


def test_each_edition_names_the_copy_that_the_tool_reads(tool: Callable[[str], ModuleType]) -> None:
    editions = {edition.game: edition.source for edition in tool("build_source2_messages").EDITIONS}
    assert {game: source(game) for game in editions} == editions
    assert source("dota2") == source() == source("unheard of")


@pytest.mark.parametrize("game", ["dota2", "cs2", "deadlock"])
def test_every_definition_refers_only_to_others_of_its_game(game: str) -> None:
    for name in message_names(game):
        assert decoder(name, game) is decoder(name, game)
        for field in fields(name, game):
            if field.kind == "message":
                fields(field.target or "", game)
            elif field.kind == "enum":
                assert enumeration(field.target or "", game)


@pytest.mark.parametrize("game", sorted(NO_MESSAGE))
def test_the_numbers_of_a_game_have_definitions(game: str) -> None:
    engine = message_numbers("")
    own = {number: entry for number, entry in message_numbers(game).items() if number not in engine}
    assert len(own) > 70
    assert {entry.name for entry in own.values() if entry.message is None} == NO_MESSAGE[game]
    assert {entry.message for entry in own.values()} - {None} <= set(message_names(game))


@pytest.mark.parametrize("game", ["dota2", "cs2", "deadlock"])
def test_a_message_that_newer_definitions_lack_has_its_name_in_every_game(game: str) -> None:
    message = MessageDecoder(game).decode(0, 138, bytes.fromhex("08011203088c01"))
    assert (message.name, message.type) == ("EM_RemoveAllDecals", "CEntityMessageRemoveAllDecals")
    assert message.fields == {"remove_decals": True, "entity_msg": {"target_entity": 140}}


def test_messages_of_older_builds_have_names() -> None:
    assert message_numbers("cs2")[338].message == "CCSUsrMsg_WarmupHasEnded"
    assert [message_numbers(game)[407].name for game in ("dota2", "cs2", "deadlock")] == ["TE_BSPDecalId"] * 3
    assert message_numbers("dota2")[531] == (531, "DOTA_UM_PlayerMMR", None)
    caption = wire.encode("CUserMessageCloseCaption", {"hash": 7, "duration": 2.0})
    assert MessageDecoder("dota2").decode(0, 102, caption).fields == {"hash": 7, "duration": 2.0}


def test_a_number_and_a_name_mean_what_the_game_says() -> None:
    assert message_numbers("cs2")[334].message == "CCSUsrMsg_MatchEndConditions"
    assert message_numbers("deadlock")[334].message == "CCitadelUserMsg_PlayerLifetimeStatInfo"
    assert 334 not in message_numbers("unheard of")
    assert message_number("deadlock", "GE_FireBullets") == 450
    assert message_numbers("cs2")[450].message == "CMsgTEPlayerAnimEvent"
    # One name, two definitions.
    name = "CUserMessageAchievementEvent"
    assert [field.name for field in fields(name)] == ["achievement", "count"]
    assert [field.name for field in fields(name, "cs2")] == ["achievement"]


def test_a_message_encoded_for_a_game_is_decoded_for_it() -> None:
    values = {"command": "ECommandChangeConVar", "convar": "sv_cheats"}
    name = "CUserMessage_RemoteServerCommand"
    data = wire.encode(name, values, "cs2")
    assert wire.decode(name, data, "cs2") == values
    assert wire.decode(name, data) != values
    message = MessageDecoder("cs2").decode(5, message_number("cs2", "UM_RemoteServerCommand"), data)
    assert message == (5, message.number, "UM_RemoteServerCommand", name, values, data)
    assert message.value("convar") == "sv_cheats"
    with pytest.raises(KeyError, match=re.escape("has no field 'ecommand'")):
        message.value("ecommand")
