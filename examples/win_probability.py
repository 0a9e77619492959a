"""Who wins a StarCraft II game, from what both players have: trained on a corpus, with a plot of its calibration.

    python examples/win_probability.py replays/ lake/ calibration.png

Exports games of two players into a lake, reads them back as a series with a step of 30 seconds, trains a logistic
regression on the shares that the players have, and says how well it does on games that it was not trained on.

Needs scikit-learn, pandas and matplotlib. A few hundred games are few: they are enough to see that the pieces fit,
not to know how often a lead of 1,000 minerals wins. Steps of one game are much alike, so that games are kept
together when they are split, and the number of games is the size of the sample. Replays of the same game, as both
players save it, count once.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import playhead

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

FIELDS = ["army_value", "economy_value", "technology_value", "workers", "supply", "army_lost", "army_killed"]
STEP = "30s"
FOLDS = 5
BINS = 8


def results(lake: playhead.corpus.Lake) -> pd.DataFrame:
    """Who won, for both players of each game of two, by replay and player."""
    players = lake.to_pandas("players").astype({"replay": str})
    players = players[players["player"].notna() & players["result"].isin(["win", "loss"])]
    players = players[players.groupby("replay")["player"].transform("count") == 2]
    # Replays of one game have its map, day and players.
    game = lake.to_pandas("info").astype({"replay": str}).set_index("replay")[["map", "end_time"]]
    game["who"] = players.sort_values("player").groupby("replay")["name"].agg(tuple)
    game["end_time"] = game["end_time"].dt.date
    once = game.dropna(subset=["who"]).drop_duplicates().index
    players = players[players["replay"].isin(once)]
    return players.assign(won=players["result"] == "win")[["replay", "player", "won"]]


def games(lake: playhead.corpus.Lake) -> pd.DataFrame:
    """A row for each step of each game: what both players have, and whether the first won.

    Which of the two is the first, the hash of the replay decides, so that it is not always the winner.
    """
    series = lake.series(every=STEP, fields=FIELDS).read_pandas().astype({"replay": str})
    series = series[series["seconds"] > 0].merge(results(lake), on=["replay", "player"])
    is_lower = series["player"] == series.groupby("replay")["player"].transform("min")
    is_swapped = series["replay"].map(lambda replay: int(replay[-1], 16) % 2 == 1)
    first, second = series[is_lower != is_swapped], series[is_lower == is_swapped]
    both = first.merge(second, on=["replay", "seconds"], suffixes=("", "_other"))
    return both.sort_values(["replay", "seconds"], ignore_index=True)


def shares(both: pd.DataFrame) -> pd.DataFrame:
    """The first player's share of what both have, from -1 (nothing) to 1 (all), by field, and that by time."""
    found = {}
    for name in FIELDS:
        mine, other = both[name], both[f"{name}_other"]
        found[name] = ((mine - other) / (mine + other).where(mine + other > 0)).fillna(0.0)
        found[f"{name} by time"] = found[name] * (both["seconds"] / 600).clip(upper=2)
    return type(both)(found)


def train(both: pd.DataFrame) -> np.ndarray:
    """The probability that the first player wins, at each step, by models that have not seen the game."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    # Without an intercept: nobody is better for being the first.
    model = make_pipeline(StandardScaler(with_mean=False), LogisticRegression(C=0.1, fit_intercept=False))
    found: Any = cross_val_predict(
        model, shares(both), both["won"], groups=both["replay"], cv=GroupKFold(FOLDS), method="predict_proba"
    )
    return found[:, 1]


def plot(both: pd.DataFrame, chance: np.ndarray, path: str) -> None:
    """Draw how often the first player won where the model says so, and how well it does as games go on."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from sklearn.calibration import calibration_curve

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
    won, said = calibration_curve(both["won"], chance, n_bins=BINS, strategy="quantile")
    left.plot([0, 1], [0, 1], color="0.7", linestyle="--", label="as it should be")
    left.plot(said, won, marker="o", label="games that it has not seen")
    left.set(xlabel="probability that the model gives", ylabel="share of steps that were won", title="Calibration")
    left.legend()
    minutes = both["seconds"] // 120 * 2
    judged = both.assign(right=(chance > 0.5) == both["won"]).groupby(minutes)
    share = judged["right"].mean()[judged["replay"].nunique() >= 2 * FOLDS]
    right.plot(share.index, share, marker="o")
    right.axhline(0.5, color="0.7", linestyle="--")
    title = f"{both['replay'].nunique()} games"
    right.set(xlabel="minutes", ylabel="share of steps judged right", title=title, ylim=(0, 1))
    figure.savefig(path, dpi=110)


def main() -> None:
    from sklearn.metrics import brier_score_loss, log_loss

    replays, where, picture = sys.argv[1:]
    corpus = playhead.scan(replays).filter(format="sc2")
    corpus.export(where, tables=["info", "players", "player_series"])
    both = games(playhead.open_lake(where))
    won = both.groupby("replay")["won"].first()
    if len(won) < 2 * FOLDS or won.nunique() < 2:
        sys.exit(f"{len(won)} games of two players with a result: too few to learn from")
    chance = train(both)
    print(f"{len(won)} games, {len(both)} steps of {STEP}; the first player won {won.mean():.0%}")
    print("on games that it has not seen, and in brackets what knows nothing gets:")
    print(f"log loss {log_loss(both['won'], chance):.3f} (0.693)")
    print(f"Brier score {brier_score_loss(both['won'], chance):.3f} (0.250)")
    plot(both, chance, picture)


if __name__ == "__main__":
    main()
