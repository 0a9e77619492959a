"""The tables of facts that a recording cannot fill, or fills in part, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from playhead.source2.facts.null_reasons import reasons_by_column
from playhead.source2.playback.recording import NO_CLASSES, DeclaredFields, Recording

#: Reason, and the columns of each table that it is true of.
_REASONS = (
    ("no match ends in the recording", "match: end_tick end_seconds end_reason"),
    ("no match of the recording ends with a winner", "match: winner_letter winner_side winner_name"),
    ("no counted round ends in the recording", "match: team_a_score team_b_score"),
    ("the recording does not have mp_maxrounds", "match: max_rounds"),
    ("no team has a clan name", "match: team_a_name team_b_name"),
    ("no knife round is won in the recording", "match: knife_side"),
    ("no round starts in the recording", "rounds: start_tick"),
    (
        "no freeze time ends in the recording",
        "rounds: freeze_end_tick t_equipment_value ct_equipment_value t_money ct_money t_buy_type ct_buy_type",
    ),
    (
        "no round ends in the recording",
        "rounds: end_tick end_seconds official_end_tick reason reason_id t_score ct_score",
    ),
    ("no round ends with a winner in the recording", "rounds: winner_side"),
    ("m_gamePhase is that of no half", "rounds: half"),
    ("no bomb is planted in the recording", "rounds: bomb_planted_tick bomb_site"),
    ("all periods last at the end of the recording", "periods: end_tick end_seconds end_game_seconds"),
    ("no period has a winner in the recording", "periods: winner_side"),
    ("no pause is in the recording", "periods: reason"),
    ("no timeout is in the recording", "periods: by_side"),
    ("no row is of a bomb at a site", "bomb: bomb_site"),
    ("all values were set before the first tick", "convars: seconds"),
    (
        "all rows are before the first round",
        "convars: game_seconds round_num; economy: game_seconds round_num; ranks: game_seconds round_num; "
        "skins: game_seconds round_num; sounds: game_seconds round_num",
    ),
    ("no player has a rank", "ranks: rank_type"),
    ("the recording has no message CS_UM_ServerRankUpdate", "ranks: rank_old rank_change"),
    ("no player was on a side at these ticks", "ranks: side"),
    (
        "no player has gloves, or a weapon with a paint, stickers or counted kills: all rows are agents",
        "skins: item econ_item paint_kit paint_seed paint_wear stattrak custom_name stickers sticker_slots "
        "sticker_wears",
    ),
    ("the recording has no event player_sound", "sounds: radius"),
    ("no sound is of a player", "sounds: player name side"),
    ("no sound has a name that the package knows", "sounds: sound"),
    ("no command selects a weapon", "inputs: weapon_entity"),
    ("no player carries a weapon of that slot", "player_series: primary_weapon secondary_weapon"),
    ("CS2 has no characters", "players: character"),
    (
        "no kill has an assister",
        "kills: assister_player assister_name assister_side assister_x assister_y assister_z assister_pitch "
        "assister_yaw assister_health assister_place assister_controls_bot",
    ),
)
NULL_REASONS = reasons_by_column(_REASONS)

#: Fields that builds since a date do not have, with what changed.
REMOVED_FIELDS = {
    "m_pMovementServices.m_nButtonDownMaskPrev": "builds since 9 July 2026 do not have it",
    "m_aimPunchAngle": "builds since July 2026 have it in m_pAimPunchServices",
}


_OF_EVENTS = ("kills", "damage", "shots", "hostages", "other_deaths")
#: Classes without which a table has no rows, beside those whose fields its collector reads.
_CLASSES = {"smokes": ("CSmokeGrenadeProjectile",)}
_NO_LIST = (
    "the recording has no list of game events (svc_GameEventList), and no known list has its events, so they have "
    "numbers without names"
)
_ONE_VIEW = "a player recorded: other players have rows only while the server sent them to that player"

_OWN_COMMANDS = (
    "a player recorded: commands are the recorder's own (frames DEM_UserCmd), and those that the server sent to it"
)


def _missing(declared: Declared, fields: Mapping[str, Sequence[str]]) -> str:
    """Return the fields that the recording does not declare, as a reason; empty if it declares all."""
    found = [
        f"{field} of {'any class' if each == 'C*' else each}{_why_removed(field)}"
        for each, names in fields.items()
        for field in declared.missing(each, names)
    ]
    return f"the recording does not declare {', '.join(found)}" if found else ""


def _why_removed(field: str) -> str:
    reason = REMOVED_FIELDS.get(field)
    return f" ({reason})" if reason else ""


def unfilled_tables(
    recording: Recording,
    reads: Mapping[str, Mapping[str, Sequence[str]]],
    columns: Mapping[str, Mapping[str, Sequence[str]]],
) -> dict[str, str]:
    """Return the reason by name of table, and of a column that is null in all rows. `reads` and `columns` have
    the fields, by class or pattern of classes, of each table and each column."""
    if not recording.send_tables:
        return dict.fromkeys(reads, NO_CLASSES)
    found = dict(NULL_REASONS)
    declared = Declared(recording)
    for name, fields in reads.items():
        wanted = (*fields, *_CLASSES.get(name, ()))
        absent = [each for each in wanted if "*" not in each and not declared.has_class(each)]
        if absent:
            found[name] = f"the recording does not declare class {absent[0]}"
        elif missing := _missing(declared, fields):
            found[name] = f"{missing}: columns made of it are null"
    for name, fields in columns.items():
        sent = ", ".join(field for names in fields.values() for field in names)
        found[name] = (
            _missing(declared, fields)
            or NULL_REASONS.get(name)
            or f"no row has a value{f' of {sent}' if sent else ''}"
        )
    if recording.event_list is None:
        borrowed = recording.borrowed_events
        if borrowed is None:
            found.update(dict.fromkeys(_OF_EVENTS, _NO_LIST))
        else:
            found["game_events"] = (
                "the recording has no list of game events (svc_GameEventList): names are those of build "
                f"{borrowed.build}, which has all its events with the same types of values"
            )
    if recording.server_info.get("is_hltv") is False:
        for name in ("player_series", "positions"):
            found.setdefault(name, _ONE_VIEW)
        found.setdefault("inputs", _OWN_COMMANDS)
    return found


class Declared(DeclaredFields):
    """The classes and fields of a recording."""

    def __init__(self, recording: Recording) -> None:
        super().__init__(recording)
        self._classes = frozenset(recording.class_names.values())

    def has_class(self, name: str) -> bool:
        """Return whether the recording declares a class."""
        return name in self._classes

    def has_together(self, *fields: str) -> bool:
        """Return whether a class has all these fields."""
        return any(all(self.has(each, field) for field in fields) for each in self._classes)

    def missing(self, class_name: str, fields: Sequence[str]) -> Iterator[str]:
        """Yield the fields that the class does not declare, or no class that the pattern ``C*`` matches."""
        classes = sorted(self._classes) if class_name == "C*" else [class_name]
        for field in fields:
            if "~" in field or "*" in field:  # one of several of a name; a pattern
                continue
            if not any(self.has(each, field.replace("?", "0")) for each in classes):
                yield field
