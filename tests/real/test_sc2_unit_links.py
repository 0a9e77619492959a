"""Types of targets and of selected units in real games, compared with the tracker's tables."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from tests.real.sc2_index import sc2_replays

from playhead.blizzard.protocol.tables import GAME, TRACKER
from playhead.sc2.abilities.unit_types import unit_facts
from playhead.sc2.members.setting import ARCADE, COOP
from playhead.sc2.replay import Sc2Replay
from playhead.sc2.state.link_types import link_counts


def types_of(replay: Sc2Replay) -> dict[int, list[tuple[int, str]]]:
    """Return loop and type of each change of each unit, the appearance first."""
    found: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for row in replay.table("units").to_pylist():
        found[row["unit"]].append((-1, row["first_unit_type"]))
    for row in replay.table("unit_changes").to_pylist():
        if row["change"] == "type":
            found[row["unit"]].append((row["tick"], row["unit_type"]))
    return found


@pytest.mark.long
@pytest.mark.slow_interpreted
def test_types_of_targets_are_the_trackers(corpus: Path, short_step: int) -> None:
    """Every target that the tracker knows; of the others, some have a name."""
    counts: Counter[str] = Counter()
    for _, replay in sc2_replays(corpus / "sc2", short_step):
        if replay.recording.stream(GAME) is None or replay.recording.stream(TRACKER) is None:
            continue
        known = types_of(replay)
        for row in replay.table("commands").to_pylist():
            if row["target_unit"] is None:
                continue
            history = known.get(row["target_unit"])
            if history is None:
                counts["named" if row["target_unit_type"] else "unnamed"] += 1
                continue
            place = bisect_left(history, (row["tick"], ""))
            counts["equal" if row["target_unit_type"] == history[place - 1][1] else "different"] += 1
    assert counts["equal"] > 9_000
    assert counts["different"] <= counts["equal"] / 1000, counts
    assert counts["named"] > counts["unnamed"], counts


@pytest.mark.slow_interpreted
def test_the_packaged_list_names_what_the_tracker_names(corpus: Path, short_step: int) -> None:
    """Without regard to forms: a selection has the type that leads the subgroup, such as SiegeTank."""
    counts: Counter[str] = Counter()
    for _, replay in sc2_replays(corpus / "sc2", short_step):
        game, tracker, names = (
            replay.recording.stream(GAME),
            replay.recording.stream(TRACKER),
            replay.recording.ability_names,
        )
        if game is None or tracker is None or not tracker.kinds or names is None or names.modded:
            continue
        if replay.info.details.get("mode") in (ARCADE, COOP):
            continue
        for (link, name), count in link_counts(game, tracker).items():
            listed = names.unit(link)
            if listed is None:
                counts["null"] += count
                continue
            forms = {unit_facts(each, 0).form_of or each for each in (name, listed)}
            counts["equal" if len(forms) == 1 else "different"] += count
    assert counts["equal"] > 100_000
    assert counts["different"] < counts["equal"] / 200, counts
    assert counts["null"] < counts["equal"] / 50, counts
