"""Messages of the written match besides its events: chat, a vote, voice, steps, new ranks."""

from __future__ import annotations

import struct
from typing import Any

from tests.samples.source2.cs2_match.state import CsMatch, Player
from tests.samples.source2.cs2_match.world import controller_index, pawn_index
from tests.samples.source2.encoding import encode_message

from playhead.source2.facts.hashed_names import SOUND_SEED, name_hash

_GAME = "cs2"
_KICK = 0
#: First byte of a packet of Opus with one frame of 20 ms.
_MODE = 0xF8
_PACKETS = 5
_VOTE_TICKS = 64
#: Bits of the float 0.0625.
_WEAR = 0x3D800000


def chat(match: CsMatch, player: Player, text: str) -> None:
    """Say something to all."""
    line = {"entityindex": controller_index(player.slot), "chat": True, "messagename": "Cstrike_Chat_All"}
    line |= {"param1": player.name, "param2": text}
    match.send(encode_message(_GAME, "CUserMessageSayText2", line))
    match.tell("chat", player=player.name, text=text)


def vote(match: CsMatch, player: Player, target: Player, others: list[Player]) -> None:
    """Call a vote, which passes."""
    common: dict[str, Any] = {"team": player.team, "vote_type": _KICK, "disp_str": "#SFUI_vote_kick_player_other"}
    common["details_str"] = target.name
    asked = {"player_slot": player.slot, "is_yes_no_vote": True, "player_slot_target": target.slot}
    match.send(encode_message(_GAME, "CCSUsrMsg_VoteStart", common | asked))
    match.tell("votes", event="started", player=player.name)
    for number, each in enumerate((player, *others)):
        option = int(number == 1)
        match.event("vote_cast", vote_option=option, team=each.team, userid=each.slot)
        match.tell("votes", event="cast", player=each.name, option=option)

    def end() -> None:
        match.send(encode_message(_GAME, "CCSUsrMsg_VotePass", common))
        match.tell("votes", event="passed", player=None)

    match.later(_VOTE_TICKS, end)


def speak(match: CsMatch, player: Player) -> None:
    """Send packets of voice."""
    for number in range(_PACKETS):
        audio = {
            "format": 2,
            "voice_data": bytes([_MODE, *[number] * 19]),
            "sample_rate": 48000,
            "section_number": 1,
        }
        match.send(encode_message(_GAME, "CSVCMsg_VoiceData", {"audio": audio, "xuid": player.account}))
        match.tell("voice", player=player.name, size=20)


def show_items(match: CsMatch, players: list[Player]) -> None:
    """Show an item of each player at the end of the match."""
    data = []
    for player in players:
        sticker = {"slot": 3, "sticker_id": 4242, "wear": 0.125}
        item: dict[str, Any] = {
            "defindex": 507,
            "paintindex": 600 + player.slot,
            "paintwear": _WEAR,
            "paintseed": 77,
        }
        item |= {"itemid": 5000 + player.slot, "customnames": ["Edge"], "killeatervalue": 9, "stickers": [sticker]}
        shown = {"slot": player.slot, "xuid": player.account, "name": player.name, "isbot": player.is_bot}
        data.append(shown | {"teamnumber": player.team, "items": [item] * (not player.is_bot)})
    match.send(encode_message(_GAME, "CCSUsrMsg_EndOfMatchAllPlayersData", {"allplayerdata": data}))


def rank(match: CsMatch, players: list[Player]) -> None:
    """Tell the new ranks at the end."""
    updates = []
    for player in players:
        if player.account:
            old = 15000 + 100 * player.slot
            change = {"rank_old": old, "rank_new": old + 120, "rank_change": 120.0, "rank_type_id": 11}
            updates.append({"account_id": player.account & 0xFFFFFFFF, **change})
            match.tell("ranks", player=player.name, rank_old=old, rank=old + 120)
    match.send(encode_message(_GAME, "CCSUsrMsg_ServerRankUpdate", {"rank_update": updates}))


def step(match: CsMatch, player: Player) -> None:
    """Make a step, which a message and an event tell, and a sound that the package cannot name."""
    place = player.x, player.y, 0.0
    packed = struct.pack("<IBH3f", name_hash("public.position"), 10, 12, *place)
    packed += struct.pack("<IBHf", name_hash("public.volume"), 8, 4, 0.5)
    index = pawn_index(player.body.slot)
    for sound in ("T_Concrete.StepLeft", "Sample.Unknown"):
        common = {"soundevent_hash": name_hash(sound, SOUND_SEED), "source_entity_index": index}
        match.send(encode_message(_GAME, "CMsgSosStartSoundEvent", common | {"packed_params": packed}))
        match.tell("sounds", player=player.name, sound=sound, entity=index, x=player.x, y=player.y)
    match.event("player_sound", **match.of(player), radius=1100, duration=0.5, step=True)
