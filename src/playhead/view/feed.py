"""Events as the page lists and marks them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from playhead.view.jumps import fights, jump_rules

if TYPE_CHECKING:
    from playhead.events import ReplayEvent
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
        *(
            "save_success",
            "load_success",
            "net_say",
            "net_call_vote",
            "net_emoticon",
            "auth_login",
            "console_command",
        ),
    ),
    "source2": ("chat", "game_event"),
}

#: Of a payload, what is no news beside tick, player and kind.
_SILENT = frozenset(
    "tick seconds game_seconds player kind team x y z unit unit_index unit_recycle entity upkeep_player "
    "control_player attacker_player target_player user class ability_link client session source event "
    "max_health player_name protocol".split()
)
#: Of a teehistorian, when `time` of a payload is the time of a run in ticks.
_RUNS = frozenset({"player_finish", "team_finish"})
_SILENT_ENDS = ("_tick", "_team", "_is_hero", "_is_illusion", "_recycle", "_unit", "_index", "_type")
_FIRST = ("text", "name", "target", "unit_type", "item", "upgrade", "reason")
#: Of these, the names of types that games write in one word.
_TYPES = frozenset({"unit_type", "upgrade"})
#: What the engine puts before the names of units and items.
_PREFIX = re.compile(r"\b(npc_dota_hero_|npc_dota_|item_|modifier_|dota_(?=goodguys|badguys))")


def notable_kinds(replay: Replay) -> list[str]:
    """Return the kinds that the page asks for at the start."""
    wanted = NOTABLE.get(replay.info.game) or NOTABLE.get(replay.format, ())
    known = replay.event_kinds
    return [kind for kind in wanted if kind in known] or list(known)[:20]


def event_rows(replay: Replay, kinds: tuple[str, ...], most: int = MOST) -> dict[str, Any]:
    """Return events of these kinds in columns, at most so many; `more` says that there are others behind.

    `jumps` has the ticks of what one jumps to, by its name, as far as it is among these kinds.
    """
    chosen = [kind for kind in kinds if kind in replay.event_kinds]
    found: dict[str, list[Any]] = {name: [] for name in ("tick", "kind", "player", "team", "text", "x", "y")}
    units = _units(replay) if "unit_died" in chosen else {}
    names = {player.player: player.name for player in reversed(replay.players)}
    rate = replay.info.ticks_per_second or 1.0
    rules = jump_rules(replay.format, replay.info.game)
    jumps: dict[str, list[int]] = {name: [] for name in rules}
    count = 0
    if chosen:
        for event in islice(replay.events(*chosen), most + 1):
            count += 1
            if count > most:
                break
            payload = event.payload
            unit = units.get(payload.get("unit")) if event.kind == "unit_died" else None
            for name, fits in rules.items():
                # What is nobody's, or is killed by its own player, dies without anybody looking.
                if fits(event) and (unit is None or unit[1] not in (None, payload.get("killer_player"))):
                    jumps[name].append(event.tick)
            found["tick"].append(event.tick)
            found["kind"].append(event.kind)
            found["player"].append(event.player if unit is None else unit[1])
            found["team"].append(payload.get("team", payload.get("target_team")))
            found["text"].append(_text(event, names, None if unit is None else unit[0], rate))
            for axis in ("x", "y"):
                value = payload.get(axis)
                found[axis].append(value if isinstance(value, int | float) else None)
    if replay.format == "sc2":
        jumps["fight"] = fights(jumps["kill"], rate)
    ticks = {name: sorted(set(found)) for name, found in jumps.items() if found}
    return {"columns": found, "more": count > most, "kinds": chosen, "jumps": ticks}


def _units(replay: Replay) -> Mapping[Any, tuple[str, int | None]]:
    """Return type and owner of StarCraft II units by tag: what died is recorded by its tag alone."""
    if "units" not in replay.tables:
        return {}
    table = replay.table("units", columns=["unit", "unit_type", "player"])
    columns = (table[name].to_pylist() for name in ("unit", "unit_type", "player"))
    return {unit: (kind, player) for unit, kind, player in zip(*columns, strict=True)}


def _text(event: ReplayEvent, names: Mapping[int | None, str | None], kind: str | None, rate: float) -> str:
    """Return a payload in a line: what was said or named first, then what else is known of it."""
    payload = event.payload
    parts = [] if kind is None else [_spaced(kind)]
    if event.kind in _RUNS and isinstance(payload.get("time"), int):
        parts.append(f"in {_run_text(payload['time'] / rate)}")
    for name in _FIRST:
        if payload.get(name) not in (None, "", []):
            text = _spaced(str(payload[name])) if name in _TYPES else _short(payload[name])
            parts.append(f"{'→ ' if name == 'target' else ''}{text}")
    if event.player is None and payload.get("attacker"):
        parts.append(f"by {_short(payload['attacker'])}")
    killer = payload.get("killer_player")
    if killer is not None:
        parts.append(f"by {names.get(killer) or killer}")
    for name, value in payload.items():
        known = name in _SILENT or name in _FIRST or name in ("attacker", "killer_player")
        if known or name.endswith(_SILENT_ENDS) or value in (None, "", [], {}, False):
            continue
        if name == event.kind or (name == "count" and value == 1):  # its own number says nothing
            continue
        if (name == "killer" and killer is not None) or (name == "time" and event.kind in _RUNS):
            continue
        parts.append(f"{name.replace('_', ' ')} {_short(value)}")
    return " · ".join(dict.fromkeys(parts))[:300]


def _spaced(name: str) -> str:
    """Return the name of a type in words: ``Robotics Facility``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)


def _run_text(seconds: float) -> str:
    """Return the time of a run as the game shows it: minutes, seconds and hundredths."""
    minutes, rest = divmod(round(seconds * 100), 6000)
    return f"{minutes}:{rest // 100:02}.{rest % 100:02}"


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    text = _PREFIX.sub("", text)
    return text if len(text) <= 160 else f"{text[:159]}…"
