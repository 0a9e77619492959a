"""Costs and classes of units: the game's own statistics are sums of the costs of living units."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import pytest
from tests.real.sc2_index import sc2_replays

from playhead.blizzard.protocol.tables import TRACKER
from playhead.sc2.abilities.unit_types import unit_facts
from playhead.sc2.replay import Sc2Replay


def armies(replay: Sc2Replay) -> list[tuple[int, int, int, int]]:
    """Return minerals and vespene in the army, at each sample of each player: by our costs, and as recorded."""
    owners: dict[int, list[tuple[int, int | None, str]]] = defaultdict(list)
    units = replay.table("units").to_pylist()
    for row in replay.table("unit_changes").to_pylist():
        owners[row["unit"]].append((row["tick"], row["player"], row["unit_type"]))
    base = replay.recording.builds[0]
    changes: list[tuple[int, int | None, int, int]] = []
    for unit in units:
        if unit["finished_tick"] is None:
            continue
        spans = [(-1, unit["first_player"], unit["first_unit_type"]), *owners[unit["unit"]]]
        for place, (since, player, kind) in enumerate(spans):
            end = spans[place + 1][0] if place + 1 < len(spans) else unit["end_tick"]
            first = max(since, unit["finished_tick"])
            facts = unit_facts(kind, base)
            if facts.kind == "army" and (end is None or end > first):
                changes.append((first, player, facts.minerals or 0, facts.vespene or 0))
                if end is not None:
                    changes.append((end, player, -(facts.minerals or 0), -(facts.vespene or 0)))
    changes.sort(key=lambda change: change[0])
    held: dict[int | None, list[int]] = defaultdict(lambda: [0, 0])
    found, place = [], 0
    for row in replay.table("player_series").to_pylist():
        while place < len(changes) and changes[place][0] <= row["tick"]:
            _, player, minerals, vespene = changes[place]
            held[player][0] += minerals
            held[player][1] += vespene
            place += 1
        army = (row["minerals_used_current_army"], row["vespene_used_current_army"])
        found.append((*held[row["player"]], *army))  # type: ignore[misc]
    return found


@pytest.mark.slow_interpreted
def test_costs_add_up_to_the_games_statistics(corpus: Path, step: int) -> None:
    """Of Protoss and Terran; Zerg units also differ while they are in cocoons, of which the statistics count the
    unit before, and by overseers, which are armies by half. Hallucinations differ too."""
    counts: Counter[bool] = Counter()
    for file, replay in sc2_replays(corpus / "sc2", step):
        tracker = replay.recording.stream(TRACKER)
        races = {player.details.get("race") for player in replay.players if player.player is not None}
        melee = replay.info.details["mode"] == "1v1" and replay.recording.ability_names is not None
        if tracker is None or not tracker.kinds or tracker.error is not None or not melee or "Zerg" in races:
            continue
        if "bad_unit_ids" in file or "alpha" in file:
            continue
        counts.update((minerals, gas) == (had, more) for minerals, gas, had, more in armies(replay))
    assert sum(counts.values()) > 500
    assert counts[True] > 0.95 * sum(counts.values()), counts
