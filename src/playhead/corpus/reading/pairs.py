"""Pairs of a state and the action that followed, for models that imitate or judge players."""

from __future__ import annotations

from collections.abc import Iterable

from playhead.corpus.series.arrays import ReplayArrays
from playhead.events import choose_names
from playhead.runtime.libraries import np, pa, pc
from playhead.tables.arrow import float64_numbers

#: The prefix of columns of the state.
STATE = "state_"


def state_action_pairs(game: ReplayArrays, inputs: pa.Table, kinds: Iterable[str] | None) -> pa.Table:
    """Return the actions of a replay, each with the state of its player at the last step before it.

    Actions before the first step of their player, and those of nobody, are left out. The columns of `inputs` come
    first, then ``state_seconds``, ``is_new`` and ``state_FIELD`` for each field that the replay has.

    Args:
        game: the series of one replay.
        inputs: its table ``inputs``.
        kinds: kinds of actions, or patterns; None for all.

    Raises:
        KeyError: there is no action of that kind.
    """
    if kinds is not None:
        there = pc.unique(inputs["kind"].cast(pa.string())).to_pylist()
        chosen = sorted(choose_names(kinds, [each for each in there if each], "action of kind"))
        inputs = inputs.filter(pc.is_in(inputs["kind"].cast(pa.string()), value_set=pa.array(chosen, pa.string())))
    inputs = inputs.filter(pc.and_(pc.is_valid(inputs["player"]), pc.is_valid(inputs["seconds"])))
    players = np.array(inputs["player"].to_pylist(), np.int32)
    times = np.array(float64_numbers(inputs["seconds"].combine_chunks()), np.float64)
    rows = np.minimum(np.searchsorted(game.players, players), len(game.players) - 1)
    steps = np.searchsorted(game.seconds, times, side="left") - 1
    known = (game.players[rows] == players) & (steps >= 0)
    known[known] = game.mask[rows[known], steps[known]].any(axis=1)
    rows, steps, inputs = rows[known], steps[known], inputs.filter(pa.array(known.tolist(), pa.bool_()))
    values = game.values[rows, steps]
    told = [place for place, name in enumerate(game.fields) if name != "game_seconds"]
    found = inputs.append_column(f"{STATE}seconds", pa.array(game.seconds[steps].tolist(), pa.float64()))
    found = found.append_column("is_new", pa.array(_changed(rows, values[:, told]).tolist(), pa.bool_()))
    for place, name in enumerate(game.fields):
        if game.mask[:, :, place].any():
            column = [None if value != value else value for value in values[:, place].tolist()]
            found = found.append_column(f"{STATE}{name}", pa.array(column, pa.float64()))
    return found


def _changed(rows: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return for each action whether its state differs from that of its player's previous action."""
    changed = np.ones(len(rows), bool)
    for row in np.unique(rows):
        mine = np.flatnonzero(rows == row)
        before, after = values[mine[:-1]], values[mine[1:]]
        changed[mine[1:]] = ((before != after) & ~(np.isnan(before) & np.isnan(after))).any(axis=1)
    return changed
