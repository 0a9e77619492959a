"""Game events and user messages of the synthetic recording: two kills, pings, a purchase."""

from __future__ import annotations

from tests.samples.source2.encoding import GameEventWriter, encode_message, wrap

from playhead.source2.writing.demo import InnerMessage

_EVENTS = GameEventWriter(
    {
        "dota_player_kill": {"victim_userid": "short", "killer1_userid": "short", "bounty": "short"},
        "dota_item_purchased": {"PlayerID": "short", "itemname": "string", "itemcost": "short"},
    }
)

# tick, victim, killer, gold
_KILLS = ((300, 8, 2, 240), (640, 1, 7, 198))
_FIRST_BLOOD_TICK = 300

# tick, player, world coordinates
_PINGS = ((286, 4, -1480, 920), (288, 4, -1475, 935), (612, 6, 3210, -2244))

_PURCHASE_TICK, _BUYER = 100, 3
_SERVER_TICK_OF_0 = 1000


def event_list() -> InnerMessage:
    """Return the message with the event descriptors, for the sign-on."""
    return _EVENTS.event_list()


def messages_at(tick: int) -> list[InnerMessage]:
    """Return the messages in the packet of that tick."""
    messages = []
    if tick == _PURCHASE_TICK:
        bought = {"PlayerID": _BUYER, "itemname": "item_tango", "itemcost": 90}
        messages.append(_EVENTS.event("dota_item_purchased", bought, _SERVER_TICK_OF_0 + tick))
    for when, victim, killer, gold in _KILLS:
        if when == tick:
            messages += _kill(tick, victim, killer, gold)
    for when, player, x, y in _PINGS:
        if when == tick:
            ping = {"player_id": player, "location_ping": {"x": x, "y": y, "target": -1, "direct_ping": False}}
            messages.append(encode_message("dota2", "CDOTAUserMsg_LocationPing", ping))
    return messages


def _kill(tick: int, victim: int, killer: int, gold: int) -> list[InnerMessage]:
    """Return the event, the chat line, and the gold above the killer's head (which is wrapped)."""
    values = {"victim_userid": victim, "killer1_userid": killer, "bounty": gold}
    messages = [_EVENTS.event("dota_player_kill", values, _SERVER_TICK_OF_0 + tick)]
    kinds = ["CHAT_MESSAGE_HERO_KILL"]
    if tick == _FIRST_BLOOD_TICK:
        kinds.append("CHAT_MESSAGE_FIRSTBLOOD")
    for kind in kinds:
        # A first blood names the killer first, a kill the victim.
        first, second = (killer, victim) if kind == "CHAT_MESSAGE_FIRSTBLOOD" else (victim, killer)
        line = {"type": kind, "value": gold, "playerid_1": first, "playerid_2": second}
        messages.append(encode_message("dota2", "CDOTAUserMsg_ChatEvent", line))
    overhead = {"message_type": "OVERHEAD_ALERT_GOLD", "value": gold, "target_player_entindex": killer + 1}
    messages.append(wrap(encode_message("dota2", "CDOTAUserMsg_OverheadEvent", overhead)))
    return messages
