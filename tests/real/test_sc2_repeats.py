"""Repeated orders of real games: which results of the queue are repeats, and the actions that they explain."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from statistics import median

import pytest
from tests.real.sc2_index import sc2_replays

from playhead.blizzard.events.commands import UPDATE_EVENTS, CommandManagerStateEvent
from playhead.blizzard.protocol.tables import GAME
from playhead.sc2.state.orders import repeats

#: A game of Zerg, whose eggs are ordered by holding a key.
ZERG = "4.9.2.74741/patch_4_9_2_zvt.SC2Replay"


@pytest.mark.long
@pytest.mark.slow_interpreted
def test_every_update_has_one_result_and_the_rest_are_repeats(corpus: Path, step: int) -> None:
    """The result is the next event of the user's orders, in the same loop; its number is mostly the next one."""
    counts: Counter[str] = Counter()
    ratios: list[tuple[float, float]] = []
    for _, replay in sc2_replays(corpus / "sc2", step):
        game = replay.recording.stream(GAME)
        if game is None or not game.has(CommandManagerStateEvent):
            continue
        loops, users, *_ = game.rows.heads
        results = set(game.of(CommandManagerStateEvent).orders)
        updates = {row for type_ in UPDATE_EVENTS if game.has(type_) for row in game.of(type_).orders}
        again = set(repeats(game).orders)
        waiting: dict[int, int] = {}
        for row in sorted(results | updates):
            if row in updates:
                assert users[row] not in waiting
                waiting[users[row]] = loops[row]
            elif row in again:
                assert users[row] not in waiting
            else:
                assert waiting.pop(users[row]) == loops[row]
        assert not waiting
        counts.update(updates=len(updates), repeats=len(again), results=len(results))
        ratios += shares_of_the_games_own(replay)
    assert counts["results"] == counts["updates"] + counts["repeats"]
    assert counts["repeats"] > 0.2 * counts["updates"]
    with_repeats, without = (median(column) for column in zip(*ratios, strict=True))
    assert with_repeats > without + 0.03
    assert 0.85 < with_repeats < 0.95


def shares_of_the_games_own(replay: object) -> list[tuple[float, float]]:
    """Return our actions a minute as shares of the game's figure, of each player: all, and without repeats."""
    table = replay.table("player_stats", columns=["player", "apm", "duration_seconds"])  # type: ignore[attr-defined]
    rows = [row for row in table.to_pylist() if row["apm"]]
    commands = replay.table("commands", columns=["player", "kind"]).to_pylist()  # type: ignore[attr-defined]
    again = Counter(row["player"] for row in commands if row["kind"] == "command_repeated")
    own = {player.player: player.details.get("apm") for player in replay.players}  # type: ignore[attr-defined]
    return [
        (
            row["apm"] / own[row["player"]],
            (row["apm"] - again[row["player"]] / row["duration_seconds"] * 60) / own[row["player"]],
        )
        for row in rows
        if own.get(row["player"])
    ]


def test_every_egg_has_an_order_of_its_own(corpus: Path) -> None:
    """A larva becomes an egg in the loop of its order: 389 eggs of this game, 138 of them by an order that is no
    repeat."""
    replay = next(replay for file, replay in sc2_replays(corpus / "sc2") if file == ZERG)
    player = next(player.player for player in replay.players if player.details["race"] == "Zerg")
    changes = replay.table("unit_changes").to_pylist()
    eggs = Counter(row["tick"] for row in changes if row["unit_type"] == "Egg" and row["player"] == player)
    orders: dict[str, Counter[int]] = {"command_given": Counter(), "command_repeated": Counter()}
    for row in replay.table("commands").to_pylist():
        if row["player"] == player and (row["ability"] or "").startswith("Morph") and row["kind"] in orders:
            orders[row["kind"]][row["tick"]] += 1
    assert (eggs - orders["command_given"] - orders["command_repeated"]).total() == 0
    assert (eggs - orders["command_given"]).total() == 251
    assert eggs.total() == 389


@pytest.mark.long
@pytest.mark.slow_interpreted
def test_inputs_have_the_actions_of_apm(corpus: Path, step: int) -> None:
    """Counts by user of the rows that `plot.activity` draws, and of table ``apm``."""
    for path, replay in sc2_replays(corpus / "sc2", step):
        if "apm" not in replay.tables:
            continue
        counted: Counter[int | None] = Counter()
        for row in replay.table("apm").to_pylist():
            counted[row["user"]] += row["actions"]
        kinds = replay.table("inputs", columns=["user", "kind"]).to_pylist()
        ignored = replay.presentation.no_actions
        drawn = Counter(row["user"] for row in kinds if row["kind"] not in ignored and row["user"] is not None)
        assert drawn == counted, path
