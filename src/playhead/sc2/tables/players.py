"""Tables of players and the game: ``slots``, ``attributes``, ``outcomes``, ``periods``."""

from __future__ import annotations

from typing import Any

from playhead.blizzard.events.game import GameUserLeaveEvent, HijackReplayGameEvent, PlayerLeaveEvent, taken_over
from playhead.blizzard.events.tracker import PlayerSetupEvent
from playhead.blizzard.tables.registry import moment, rows_with
from playhead.blizzard.units.tracked import HISTORY_EVENTS
from playhead.runtime.libraries import pa
from playhead.sc2.members.lobby import slot_rows
from playhead.sc2.members.lobby_players import Sources, computer_numbers, slot_difficulties
from playhead.sc2.members.players import winner_team
from playhead.sc2.members.setting import words_of
from playhead.sc2.tables.registry import TableSource, table
from playhead.tables import shared
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

ATTRIBUTES = TableSchema.of(
    "attributes",
    "Rows of ``replay.attributes.events``: settings of the lobby as the map sees them.",
    Column("namespace", "int64", "999 for the game's own attributes."),
    Column("attribute", "category", "Name of the attribute; null if unknown, as for a map's own."),
    Column("attribute_id", "int64", "Number of the attribute."),
    Column("scope", "int64", "Player that it is about; 16 is the game."),
    Column("meaning", "category", "The value in words; null if unknown."),
    Column("code", "string", "The value as it is stored: up to four characters."),
    group="file",
)

SLOTS = TableSchema.of(
    "slots",
    "Slots of the lobby, from ``replay.initData``.",
    word("slot", "From 0."),
    word("kind", "open, closed, human, computer, observer or referee."),
    Column("control_id", "int64", "0 open, 1 closed, 2 human, 3 computer."),
    Column("observe_id", "int64", "0 plays, 1 observer, 2 referee."),
    *words("user player name team"),
    Column("color_id", "int64", "Number of the colour."),
    word("race", "The preferred one."),
    Column("race_id", "int64", "Number of the preferred race; null for random."),
    word("difficulty"),
    Column("difficulty_id", "int64", "Number of the difficulty."),
    Column("handicap", "int64", "Percent.", "%"),
    word("mmr", "By which the game scales opponents; null if there is none."),
    word("account"),
    word("fields", "All of the slot, under Blizzard's names."),
    group="file",
)


@table(ATTRIBUTES)
def attributes(source: TableSource) -> pa.Table:
    rows = source.attributes
    if not rows:
        return ATTRIBUTES.build_rows([])
    namespaces, numbers, scopes, values = zip(*rows, strict=True)
    names, meanings = zip(*map(words_of, namespaces, numbers, values), strict=True)
    columns = (namespaces, names, numbers, scopes, meanings, values)
    return ATTRIBUTES.build(dict(zip(ATTRIBUTES.column_names, columns, strict=True)))


@table(SLOTS, reads=(PlayerSetupEvent,))
def slots(source: TableSource) -> pa.Table:
    if source.lobby is None:
        return SLOTS.build_rows([])
    known = Sources(source.lobby, source.attributes, {}, source.builds[1])
    numbers = computer_numbers(source.lobby, source.players)
    rows = slot_rows(source.lobby, source.players_by_lobby_user, slot_difficulties(known))
    return SLOTS.build_rows([row | {"player": numbers.get(row["slot"], row["player"])} for row in rows])


OUTCOMES = TableSchema.of(
    "outcomes",
    "One row for each team: the recorded result, and the probable one, inferred from the game alone.",
    *words("team players"),
    word("result", "Recorded for its players; null too if they differ."),
    Column("inferred_result", "category", "win or loss by the evidence, without the recorded result."),
    Column(
        "evidence",
        "category",
        "eliminated (no other team has a structure left), left (all other teams left before), or both.",
    ),
    word("end_tick", "The last of the team left."),
    word("end_seconds"),
    Column(
        "structures",
        "int32",
        "Remaining structures, in melee games; null without the tracker, and if the team never had one.",
    ),
    Column(
        "structures_end_tick",
        "int32",
        "When the last one fell or changed its owner; null if one remains.",
        "ticks",
    ),
    Column("structures_end_seconds", "float64", "`seconds` at `structures_end_tick`.", "s"),
)


@table(OUTCOMES, reads=(GameUserLeaveEvent, PlayerLeaveEvent, *HISTORY_EVENTS))
def outcomes(source: TableSource) -> pa.Table:
    found, rows = source.inferred_winner, []
    for side in source.sides:
        result = None if found is None else "win" if side.team == found.team else "loss"
        about = (side.team, list(side.players), side.recorded, result, found and found.evidence)
        left, fallen = (moment(loop, source.loops_per_second) for loop in (side.left, side.fallen))
        rows.append((*about, *left.values(), side.structures, *fallen.values()))
    return OUTCOMES.build_rows(rows_with(OUTCOMES.column_names, rows))


PERIODS = shared.PERIODS.extended(word("winner_team"))


@table(PERIODS, reads=(HijackReplayGameEvent,))
def periods(source: TableSource) -> pa.Table:
    """Return the table ``periods``: pre_game (the lobby of GameHeart), game, and resumed, from where it was
    resumed from a replay to its end."""
    start, end, rate = source.start_tick, source.duration[0], source.loops_per_second

    def row(kind: str, first: int, last: int | None, **more: Any) -> dict[str, Any]:
        row = {**moment(first, rate), **moment(last, rate, "end_"), "kind": kind, "number": 1, **more}
        for prefix in ("", "end_"):
            loop = row[f"{prefix}tick"]
            row[f"{prefix}game_seconds"] = None if loop is None else moment(loop - start, rate)["seconds"]
        return row

    won = winner_team(tuple(source.players))
    rows = [row("pre_game", 0, start, counts=False)] if start else []
    rows.append(row("game", start, end, counts=True, winner_team=won))
    resumed = taken_over(source)
    if resumed is not None:
        rows.append(row("resumed", resumed[0], end, counts=True, winner_team=won))
    return PERIODS.build_rows(rows)
