"""The players at one moment are those of table ``player_series`` at its tick."""

from __future__ import annotations

import pytest
from tests.samples.source2.cs2_match.demo import WrittenMatch

import playhead
from playhead.cs2.replay import Cs2Replay

pytestmark = pytest.mark.slow_interpreted


def test_players_at_a_moment(written: WrittenMatch) -> None:
    replay = playhead.open(written.data)
    assert isinstance(replay, Cs2Replay)
    deaths = [tick for tick in replay.table("kills")["tick"].to_pylist()[::9] if tick is not None]
    series = replay.table("player_series", ticks=deaths).to_pylist()
    for tick in deaths:
        moment = replay.at(tick)
        rows = {row["player"]: row for row in moment.players if row["side"] is not None}
        told = {row["player"]: row for row in series if row["tick"] == tick}
        assert rows.keys() == told.keys()
        for player, row in rows.items():
            shared = row.keys() & told[player].keys()
            assert len(shared) > 12
            for name in shared:
                expected = told[player][name]
                assert row[name] == (pytest.approx(expected) if isinstance(expected, float) else expected), name
        assert {row["alive"] for row in rows.values()} == {True, False}
        assert moment.resources[next(iter(rows))]["money"] == told[next(iter(rows))]["money"]
