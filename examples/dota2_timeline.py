"""A Dota 2 match as a timeline: objectives, hero kills, fights and the lead in net worth.

    python examples/dota2_timeline.py match.dem

Needs nothing but playhead.
"""

from __future__ import annotations

import sys

import playhead


def timeline(replay: playhead.Replay) -> list[tuple[int, str]]:
    """What happened, with its tick, in order."""
    # One pass over the recording for all of them; what they do not need is not decoded.
    tables = replay.read_tables(["objective_events", "kills", "fights", "team_series"])
    entries: list[tuple[int, str]] = []
    for row in tables["objective_events"].to_pylist():
        entries.append((row["tick"], f"{row['event']} {row['boss'] or row['entity_name'] or ''}".strip()))
    for row in tables["kills"].to_pylist():
        entries.append((row["tick"], f"{short(row['attacker'])} kills {short(row['victim_hero'])}"))
    series = tables["team_series"]
    lead = dict(zip(series["tick"].to_pylist(), series["net_worth_lead"].to_pylist(), strict=True))
    for row in tables["fights"].to_pylist():
        now = max(
            (tick for tick, now in lead.items() if tick <= row["end_tick"] and now is not None), default=None
        )
        then = "" if now is None else f"; the Radiant's lead is then {lead[now]:+}"
        losses = f"Radiant loses {row['radiant_deaths']}, Dire {row['dire_deaths']}"
        entries.append((row["first_death_tick"], f"fight {row['fight']}: {losses}{then}"))
    return sorted(entries)


def short(name: str | None) -> str:
    """``npc_dota_hero_axe`` as ``axe``."""
    return (name or "?").removeprefix("npc_dota_hero_").removeprefix("npc_dota_")


def main() -> None:
    replay = playhead.open(sys.argv[1])
    if replay.info.game != "dota2":
        sys.exit(f"{sys.argv[1]}: expected a Dota 2 recording, found {replay.info.game or replay.format}")
    clock = replay.clock  # as the game shows it: 0:00 is the horn
    for tick, text in timeline(replay):
        print(f"{(clock and clock.displayed(tick)) or f'tick {tick}':>9}  {text}")
    for problem in replay.problems_so_far:
        print(f"problem: {problem}", file=sys.stderr)


if __name__ == "__main__":
    main()
