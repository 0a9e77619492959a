"""The table ``engagements``: fights, with the losses of each player."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.tables.columns import moment
from playhead.blizzard.units.tracked import HISTORY_EVENTS, deaths_in, unit_history, unit_spans
from playhead.runtime.libraries import pa
from playhead.sc2.abilities.unit_types import unit_facts
from playhead.sc2.state.map.nearby import first_of_groups
from playhead.sc2.state.production.facts import is_produced
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

#: Losses of one engagement are at most so many cells and loops from another of it, and there are so many of them.
_NEAR, _SOON, _LEAST = 16.0, 224, 3
#: A loss is compared with so many before it: no real game has more of them within `_SOON`.
_COMPARED = 256


class Loss(NamedTuple):
    """A unit that another player killed: loop, x and y in cells, its owner, its type and the killer."""

    loop: int
    x: float
    y: float
    player: int
    unit_type: str
    killer: int


def engagements_of(losses: Iterable[Loss]) -> list[list[Loss]]:
    """Return the engagements, in order of their first losses, with their losses in the given order.

    Args:
        losses: in order of time.
    """
    given = list(losses)
    loops = array("q", [loss.loop for loss in given])
    xs, ys = (array("d", map(itemgetter(place), given)) for place in (1, 2))
    groups: dict[int, list[Loss]] = {}
    for first, loss in zip(first_of_groups(loops, xs, ys, _NEAR, _SOON, _COMPARED), given, strict=True):
        groups.setdefault(first, []).append(loss)
    return [members for members in groups.values() if len(members) >= _LEAST]


ENGAGEMENTS = TableSchema.of(
    "engagements",
    "Fights: at least three units and buildings, killed by another player, each within 224 loops and 16 cells "
    "of another. One row for each player who lost or killed something. Units without an "
    "order (broodlings, locusts, hallucinations …) do not count. `tick` is the first loss.",
    *words("tick seconds"),
    Column("engagement", "int32", "Number of the engagement, from 1."),
    Column("is_largest", "bool", "All players together lost the most minerals and vespene in it."),
    word("end_tick", "The last loss."),
    *words("end_seconds x y player"),
    word("units_lost", "Without workers and buildings."),
    word("workers_lost"),
    Column("structures_lost", "int32", "Buildings that the player lost."),
    Column("units_killed", "int32", "Units, workers and buildings of others that the player killed."),
    word("minerals_lost", "Types with an unknown cost count 0."),
    *words("vespene_lost minerals_killed vespene_killed"),
    Column("trade", "int32", "Minerals and vespene killed less lost: above 0 the player gained."),
    Column("lost_types", "list<string>", "Types of what the player lost, the most frequent first."),
    Column("lost_counts", "list<int64>", "How many of each type."),
)


def losses_of(tracker: EventStream, source: TableSource) -> Iterator[Loss]:
    """Yield the units that another player killed, in order of time."""
    history, spans = unit_history(tracker), unit_spans(tracker)
    cells = source.event_scope.tracker_cells
    names = [text if is_produced(text) else None for text in history.texts]
    columns = ("unit_type", "player", "end", "killer", "end_x", "end_y", "hallucinated")
    found = []
    for kind, player, end, killer, x, y, hallucinated in deaths_in(spans, *columns):
        if killer in (NOTHING, 0, player) or player == 0 or hallucinated:
            continue
        name = names[kind] if kind != NOTHING else None
        if name is not None and x != NOTHING and y != NOTHING:
            found.append(Loss(end, x * cells, y * cells, player, name, killer))
    found.sort(key=lambda loss: loss.loop)
    yield from found


@event_table(ENGAGEMENTS, *HISTORY_EVENTS)
def engagements(tracker: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``engagements``."""
    rate = source.loops_per_second
    build = source.builds[0]
    rows: list[dict[str, Any]] = []
    for number, losses in enumerate(engagements_of(losses_of(tracker, source)), 1):
        about = {
            **moment(losses[0].loop, rate),
            **moment(losses[-1].loop, rate, "end_"),
            "engagement": number,
            "x": sum(loss.x for loss in losses) / len(losses),
            "y": sum(loss.y for loss in losses) / len(losses),
        }
        for player in sorted({loss.player for loss in losses} | {loss.killer for loss in losses}):
            rows.append({**about, "player": player, **_of_player(losses, player, build)})
    lost: Counter[int] = Counter()
    for row in rows:
        lost[row["engagement"]] += row["minerals_lost"] + row["vespene_lost"]
    largest = max(lost, key=lambda each: lost[each], default=None)
    return ENGAGEMENTS.build_rows([{**row, "is_largest": row["engagement"] == largest} for row in rows])


def _of_player(losses: Sequence[Loss], player: int, base_build: int) -> dict[str, Any]:
    lost = Counter(loss.unit_type for loss in losses if loss.player == player).most_common()
    killed = Counter(loss.unit_type for loss in losses if loss.killer == player).most_common()
    kinds: Counter[str | None] = Counter()
    for name, count in lost:
        kinds[unit_facts(name, base_build).kind] += count
    lost_value, killed_value = (_value(units, base_build) for units in (lost, killed))
    return {
        "units_lost": kinds.total() - kinds["worker"] - kinds["building"],
        "workers_lost": kinds["worker"],
        "structures_lost": kinds["building"],
        "units_killed": sum(count for _, count in killed),
        "minerals_lost": lost_value[0],
        "vespene_lost": lost_value[1],
        "minerals_killed": killed_value[0],
        "vespene_killed": killed_value[1],
        "trade": sum(killed_value) - sum(lost_value),
        "lost_types": [name for name, _ in lost],
        "lost_counts": [count for _, count in lost],
    }


def _value(units: Sequence[tuple[str, int]], base_build: int) -> tuple[int, int]:
    """Return the minerals and vespene that units cost; nothing for those with an unknown cost."""
    facts = [(unit_facts(name, base_build), count) for name, count in units]
    minerals = sum((each.minerals or 0) * count for each, count in facts)
    return minerals, sum((each.vespene or 0) * count for each, count in facts)
