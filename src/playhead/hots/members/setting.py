"""The kind of game, by the lobby and its attributes, and the map by the game's own name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playhead.blizzard.encoding import tags
from playhead.blizzard.encoding.versioned import VersionedReader
from playhead.blizzard.members.lobby import Attribute, Lobby
from playhead.blizzard.members.text import decode_text
from playhead.errors import ReplayError

#: Scope of attributes that are the game's, not a player's.
WHOLE_GAME = 16

#: Modes whose maps have rules of their own: there the game need report nothing.
CUSTOM, BRAWL = "Custom", "Brawl"
#: By ``m_ammId``, the queue of matchmaking.
_QUEUES = {
    50001: "Quick Match",
    50021: "Cooperative",
    50031: BRAWL,
    50041: "Practice",
    50051: "Unranked Draft",
    50061: "Hero League",
    50071: "Team League",
    50091: "Storm League",
    50101: "ARAM",
}

_LOBBY_MODE = 4010
#: Attributes of the game: fact, and words by stored value.
_WORDS: Mapping[int, tuple[str, Mapping[str, str]]] = {
    2001: ("team_size", {}),
    3000: (
        "game_speed",
        {"Slor": "slower", "Slow": "slow", "Norm": "normal", "Fast": "fast", "Fasr": "faster"},
    ),
    4000: ("privacy", {"Norm": "normal", "NoMH": "no match history"}),
    _LOBBY_MODE: ("lobby_mode", {"stan": "standard", "drft": "draft", "tour": "tournament draft"}),
    4018: ("ready_mode", {"fcfs": "first come, first served", "pred": "predetermined"}),
    4020: ("drafts_first", {"": "coin toss", "T1": "team 1", "T2": "team 2"}),
    4021: (
        "ban_mode",
        {"": "no bans", "1ban": "one ban", "2ban": "two bans", "Mban": "mid ban", "3ban": "three bans"},
    ),
}


def mode_of(lobby: Lobby | None, attributes: Sequence[Attribute]) -> str | None:
    """Return the mode of the game; None without a lobby, and for a queue that is not known."""
    return None if lobby is None else _mode(lobby, _settings(attributes))


def _settings(attributes: Sequence[Attribute]) -> dict[int, str]:
    return {row.attribute: row.value.strip() for row in attributes if row.scope == WHOLE_GAME}


def _mode(lobby: Lobby, settings: Mapping[int, str]) -> str | None:
    options = lobby.game["m_gameOptions"]
    if not options.get("m_amm"):
        return CUSTOM
    if "m_ammId" in options:
        return _QUEUES.get(options["m_ammId"])
    # Builds of 2015 do not write the queue.
    if options.get("m_cooperative"):
        return _QUEUES[50021]
    if options.get("m_practice"):
        return _QUEUES[50041]
    return _QUEUES[50001] if settings.get(_LOBBY_MODE) == "stan" else _QUEUES[50061]


def setting_facts(lobby: Lobby | None, attributes: Sequence[Attribute]) -> dict[str, Any]:
    """Return the facts of `Info.details` about the game's setting."""
    settings = _settings(attributes)
    facts: dict[str, Any] = {
        name: words.get(settings[number], settings[number]) if number in settings else None
        for number, (name, words) in _WORDS.items()
    }
    if lobby is None:
        return facts | {"mode": None, "queue_id": None, "random_value": None}
    return facts | {
        "mode": _mode(lobby, settings),
        "queue_id": lobby.game["m_gameOptions"].get("m_ammId"),
        "random_value": lobby.game.get("m_randomValue"),
    }


#: Reports that name the map, of the end and of what players show, with the key of the name.
_REPORTS = {
    b"EndOfGameTalentChoices": b"Map",
    **dict.fromkeys((b"LootSprayUsed", b"LootVoiceLineUsed", b"LootWheelUsed"), b"MapID"),
}
#: Numbers of fields: of a report its texts; of a text its value, its head and in that the key.
_TEXTS, _VALUE, _HEAD, _KEY = 1, 1, 0, 0


def read_map_name(data: bytes) -> str | None:
    """Return the name of the map from the data of ``replay.tracker.events``; None if no report has it. Only one
    report is decoded: all events take many times longer."""
    for report, key in _REPORTS.items():
        # A struct of up to 63 fields, which begins with the name.
        start = data.find(bytes((0, tags.BLOB, 2 * len(report))) + report) - 2
        if start < 0 or data[start] != tags.STRUCT:
            continue
        try:
            texts = VersionedReader(data, start).read_value()[_TEXTS] or ()
            named = next((text[_VALUE] for text in texts if text[_HEAD][_KEY] == key), b"")
            if name := decode_text(named):
                return name
        except (ReplayError, LookupError, TypeError, AttributeError):  # bytes that only look like a report
            continue
    return None
