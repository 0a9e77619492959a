"""Events as the page lists and marks them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playhead.replay import Replay

#: Events that one answer holds.
MOST = 20_000

#: Kinds that people look for first, by format or game, in the order of the list of filters.
NOTABLE: Mapping[str, tuple[str, ...]] = {
    "dota": (
        *("kill", "first_blood", "fight", "building_destroyed", "roshan_killed", "aegis_taken", "aegis_stolen"),
        *("aegis_denied", "tormentor_killed", "mega_creeps", "buyback", "glyph_used", "scan_used", "smoke"),
        *("rune_taken", "ward_placed", "chat", "draft", "horn", "pause", "resume"),
    ),
    "sc2": ("chat", "unit_died", "unit_init", "upgrade", "ping", "leave", "resource_trade"),
    "teehistorian": (
        *("player_finish", "team_finish", "net_kill", "join", "drop", "player_name", "player_team", "player_swap"),
        *("save_success", "load_success", "net_say", "net_call_vote", "net_emoticon", "auth_login", "console_command"),
    ),
    "source2": ("chat", "game_event"),
}

#: Of a payload, what is no news beside tick, player and kind.
_SILENT = frozenset({"tick", "seconds", "game_seconds", "player", "kind", "unit_index", "unit_recycle", "unit_tag"})
_FIRST = ("text", "name", "target", "attacker", "unit_type", "item", "upgrade", "reason")


def notable_kinds(replay: Replay) -> list[str]:
    """Return the kinds that the page asks for at the start."""
    wanted = NOTABLE.get(replay.info.game) or NOTABLE.get(replay.format, ())
    known = replay.event_kinds
    return [kind for kind in wanted if kind in known] or list(known)[:20]


def event_rows(replay: Replay, kinds: tuple[str, ...], most: int = MOST) -> dict[str, Any]:
    """Return events of these kinds in columns, at most so many; `more` says that there are others behind."""
    chosen = [kind for kind in kinds if kind in replay.event_kinds]
    found: dict[str, list[Any]] = {"tick": [], "kind": [], "player": [], "text": [], "x": [], "y": []}
    count = 0
    if chosen:
        for event in islice(replay.events(*chosen), most + 1):
            count += 1
            if count > most:
                break
            payload = event.payload
            found["tick"].append(event.tick)
            found["kind"].append(event.kind)
            found["player"].append(event.player)
            found["text"].append(_text(payload))
            for axis in ("x", "y"):
                value = payload.get(axis)
                found[axis].append(value if isinstance(value, int | float) else None)
    return {"columns": found, "more": count > most, "kinds": chosen}


def _text(payload: Mapping[str, Any]) -> str:
    """Return a payload in a line: what was said or named first, then what else is known of it."""
    first = [str(payload[name]) for name in _FIRST if payload.get(name) not in (None, "")]
    rest = [
        f"{name} {_short(value)}"
        for name, value in payload.items()
        if name not in _SILENT and name not in _FIRST and value not in (None, "", [], {}, False)
    ]
    return " · ".join([*first, *rest])[:300]


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    text = str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
