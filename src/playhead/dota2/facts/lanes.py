"""Table ``lanes``: the lane, role and position of each player at the beginning, by OpenDota's rules.

A cell of 128 world units belongs to a lane: OpenDota's grid of 128 by 128 cells in the middle of the map
(odota/core, ``laneMappings``). A player's lane is the most frequent one of the player's cells; a player with fewer
than 45 % of the cells in it roams. Positions 1 to 5 follow odota/core#2974.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from playhead.clock import parse_displayed
from playhead.dota2.facts import TABLES
from playhead.dota2.facts.player_stats import RESOURCE_FIELDS, TEAM_DATA_FIELDS, columns_of
from playhead.dota2.sources import roster
from playhead.dota2.sources.clock_sampler import MINUTE
from playhead.dota2.sources.entities import CELL, POSITION_FIELDS, integer
from playhead.dota2.sources.game_clock import POST_GAME
from playhead.dota2.sources.hero_lives import HeroPlaces
from playhead.dota2.sources.match import Dota2Match, PlayerFacts
from playhead.runtime.libraries import pa
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

BOTTOM, MIDDLE, TOP, RADIANT_JUNGLE, DIRE_JUNGLE = 1, 2, 3, 4, 5
SAFE, MID, OFF, JUNGLE = 1, 2, 3, 4

#: Words of lanes and roles.
LANE_WORDS = dict(enumerate("bottom mid top radiant_jungle dire_jungle".split(), 1))
ROLES = {SAFE: "safe", MID: "mid", OFF: "off", JUNGLE: "jungle"}

#: Smaller shares of the cells in the most frequent lane mean that a player roams.
ROAMING = 0.45

#: Gold of ten minutes, by odota/core: melee, ranged and siege creeps, passive income, and the gold at the start.
TEN_MINUTES = 40 * 60 + 45 * 20 + 74 * 2 + 600 * 1.5 + 600
#: The richest players of a lane have drawn if their gold differs by at most this (odota/web#852).
DRAW = 350

# The first cell of the grid, and its size.
_FIRST, _SIZE = 64, 128
_CORES = 3


def lane_of_cell(x: int, y: int) -> int | None:
    """Return the lane of a cell; None outside the grid."""
    column, row = x - _FIRST, _SIZE - (y - _FIRST)
    if not (0 <= column < _SIZE and 0 <= row < _SIZE):
        return None
    if abs(row + column - (_SIZE - 1)) < 8:
        return MIDDLE
    if column < 27 or row < 27:
        return TOP
    if column >= 100 or row >= 100:
        return BOTTOM
    if row < 50:
        return DIRE_JUNGLE
    return RADIANT_JUNGLE if row >= 77 else MIDDLE


def role_of_lane(lane: int, radiant: bool) -> int:
    """Return the role of a lane for a side: safe lane 1, middle 2, off lane 3, jungle 4."""
    if lane == MIDDLE:
        return MID
    if lane in (RADIANT_JUNGLE, DIRE_JUNGLE):
        return JUNGLE
    return SAFE if (lane == BOTTOM) == radiant else OFF


def lane_of_cells(cells: Mapping[tuple[int, int], int]) -> tuple[int | None, bool | None]:
    """Return the most frequent lane of cells, and whether the player roams; None without a cell of the grid.

    Of equally frequent lanes it is the one that reaches the count first, with cells ordered by x and y.
    """
    counts: dict[int, int] = {}
    best, most = None, 0
    for (x, y), count in sorted(cells.items()):
        lane = lane_of_cell(x, y)
        if lane is not None:
            counts[lane] = counts.get(lane, 0) + count
            if counts[lane] > most:
                best, most = lane, counts[lane]
    return best, None if best is None else most / sum(counts.values()) < ROAMING


def outcome(own: int | None, other: int | None) -> str | None:
    """Return won, lost or draw, from the gold of the richest player of each side; None if a side has none."""
    if own is None or other is None:
        return None
    if abs(own - other) <= DRAW:
        return "draw"
    return "won" if own > other else "lost"


def positions(players: Sequence[Mapping[str, Any]]) -> dict[int, int]:
    """Return the position 1 to 5 of each player of a team.

    The three players with the largest shares of the team's gold and last hits are cores: of the middle, safe and
    off lane they have position 2, 1 and 3. The others are supports: of the safe lane 5, else 4. Players whose
    position is taken get the remaining ones, the richer first.

    Args:
        players: player, role_id, and farm (share of the team's gold and last hits).
    """
    order = sorted(players, key=lambda each: (-each["farm"], each["player"]))
    found: dict[int, int] = {}
    wishes = {SAFE: 1, MID: 2, OFF: 3}
    for group, places, wish in (
        (order[:_CORES], (1, 2, 3), wishes.get),
        (order[_CORES:], (4, 5), lambda role: 5 if role == SAFE else 4),
    ):
        left = list(places)
        late = []
        for each in group:
            place = wish(each["role_id"])
            if place in left:
                left.remove(place)
                found[each["player"]] = place
            else:
                late.append(each["player"])
        found.update(zip(late, left, strict=False))
    return found


def farm_shares(samples: Iterable[Mapping[int, tuple[float, float]]]) -> dict[int, float]:
    """Return the mean share of each player in the team's gold and last hits, given both by player at several
    times."""
    shares: dict[int, list[float]] = {}
    for sample in samples:
        gold, hits = (sum(each[i] for each in sample.values()) or 1.0 for i in range(2))
        for player, (own_gold, own_hits) in sample.items():
            shares.setdefault(player, []).append((own_gold / gold + own_hits / hits) / 2)
    return {player: sum(each) / len(each) for player, each in shares.items()}


_FIELDS = {name: TEAM_DATA_FIELDS[name] for name in ("last_hits", "denies", "gold_earned", "xp", "net_worth")}
_SCORE = {name: RESOURCE_FIELDS[name] for name in ("kills", "deaths", "assists")}
# Minutes whose gold and last hits distinguish cores from supports.
_FARM_MINUTES = (10, 11, 12)

LANES = TableSchema.of(
    "lanes",
    "One row for each player: the lane up to option `until` (10:00), by OpenDota's grid of cells, and the "
    "state at that time. A sample a second of the game's clock counts, also before the horn. Null where the "
    "match is shorter.",
    word("tick", "That of `until`; null if the match is shorter."),
    *words("seconds game_seconds player hero team side"),
    word("lane", "Or radiant_jungle, dire_jungle."),
    word("lane_id", "As OpenDota counts: 1 bottom, 2 middle, 3 top, 4 Radiant's jungle, 5 Dire's jungle."),
    word("role", "safe, mid, off or jungle."),
    Column("role_id", "int64", "1 safe lane, 2 middle, 3 off lane, 4 jungle."),
    Column("roaming", "bool", "Fewer than 45 % of the samples are in that lane."),
    Column(
        "position",
        "int32",
        "1 to 5, from the role and the gold and last hits at 10:00, 11:00 and 12:00 (odota/core#2974); null "
        "in matches under 12 minutes.",
    ),
    *columns_of(_FIELDS, "the player's row in CDOTA_DataRadiant or CDOTA_DataDire"),
    *columns_of(_SCORE, "the player's row in CDOTA_PlayerResource.m_vecPlayerTeamData"),
    Column(
        "lane_efficiency",
        "float64",
        "`gold_earned` at 10:00 as a share of 4,948, OpenDota's sum of every creep of the lane, passive income "
        "and the gold at the start. Null for another `until`.",
    ),
    Column("opponent_players", "list<int32>", "Players of the other side in the same lane."),
    word("gold_lead", "Mean `gold_earned` of the lane's players less that of `opponent_players`."),
    word("xp_lead", "Mean `xp` of the lane's players less that of `opponent_players`."),
    Column(
        "lane_gold_lead",
        "int32",
        "As `gold_lead`, of the whole lane: sums instead of means, so that two against one are ahead by "
        "a player's gold.",
        unit="gold",
    ),
    Column("lane_xp_lead", "int32", "As `xp_lead`, of the whole lane.", unit="xp"),
    Column(
        "lane_outcome",
        "category",
        "won, lost or draw, by the rule of OpenDota's page (odota/web#852): the richest player of each side who "
        "does not roam, by `gold_earned`; up to 350 apart is a draw. Null without opponents. STRATZ publishes no "
        "rule.",
    ),
)


@TABLES.maker_of(LANES)
class Lanes(PlayerFacts):
    jobs: ClassVar = Jobs(10, extra=10)
    options = ("until",)
    fields = roster.roster_fields(
        {
            "CDOTA_Unit_Hero_*": POSITION_FIELDS,
            roster.RESOURCE_CLASS: [f"m_vecPlayerTeamData.????.{field}" for field in _SCORE.values()],
        },
        roster.team_fields(_FIELDS.values()),
    )

    def __init__(self, match: Dota2Match, until: int | float | str = "10:00") -> None:
        super().__init__(match)
        self._until = parse_displayed(until) if isinstance(until, str) else float(until)
        self._samples: list[tuple[int, dict[int, list[Any]]]] = []
        self._state: dict[int, dict[int, dict[str, Any]]] = {}
        # The state at the last sample up to `until`, if that is no whole minute.
        self._by_second = bool(self._until % MINUTE)
        self._latest: dict[int, dict[str, Any]] = {}

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._places = HeroPlaces.of(self.match, playback)
        self._sampler = self._places.sampler
        self._sampler.on_sample(self._sample)
        self._minutes = self.match.clock_sampler(playback)
        self._minutes.on_sample(self._keep)

    def _sample(self, tick: int) -> None:
        """Keep the places of the heroes up to `until`."""
        now = self.match.clock.game_seconds(tick)
        if now is not None and now > self._until:
            return
        self._samples.append((tick, self._places.now))
        if self._by_second:
            self._latest = self._read()

    def _keep(self, minute: int, _tick: int) -> None:
        """Keep the state of the players at a minute that the table needs."""
        if minute * MINUTE not in (self._until, *(each * MINUTE for each in _FARM_MINUTES)):
            return
        self._state[minute] = self._read()

    def _read(self) -> dict[int, dict[str, Any]]:
        """Return the present state of the players."""
        found: dict[int, dict[str, Any]] = {}
        for seat in self._roster.seats:
            row: dict[str, Any] = dict.fromkeys(_FIELDS)
            for data in self._roster.holders(seat):
                for name, field in _FIELDS.items():
                    if row[name] is None:
                        row[name] = data.get(roster.TEAM_ROW.format(seat.row) + field)
            resource = self._roster.resource
            if resource is not None:
                own = f"m_vecPlayerTeamData.{seat.player:04}."
                row |= {name: integer(resource, own + field) for name, field in _SCORE.items()}
            found[seat.player] = row
        return found

    # -- the end ----------------------------------------------------------------------------------------

    def tables(self) -> Mapping[str, pa.Table]:
        self._sampler.finish()
        self._minutes.finish()
        names, cells = self._roster.hero_names(), self._cells()
        tick, reached = self._at_until()
        rows: list[dict[str, Any]] = []
        for seat in self._roster.seats:
            lane, roaming = lane_of_cells(cells.get(seat.player, {}))
            role = None if lane is None else role_of_lane(lane, seat.team == roster.RADIANT)
            rows.append(
                {
                    "tick": tick,
                    "player": seat.player,
                    "hero": names.get(seat.player),
                    "team": seat.team,
                    "lane": LANE_WORDS.get(lane or 0),
                    "lane_id": lane,
                    "role": ROLES.get(role or 0),
                    "role_id": role,
                    "roaming": roaming,
                    **reached.get(seat.player, {}),
                }
            )
        for team in roster.TEAM_DATA:
            self._add_positions([row for row in rows if row["team"] == team])
        for row in rows:
            _add_opponents(row, rows)
            gold = row.get("gold_earned")
            if self._until == 10 * MINUTE and gold is not None:
                row["lane_efficiency"] = gold / TEN_MINUTES
        return {LANES.name: self.match.table(LANES, rows)}

    def _at_until(self) -> tuple[int | None, dict[int, dict[str, Any]]]:
        """Return the tick of `until` and the state then; nothing if the match or recording is shorter."""
        clock, minute = self.match.clock, int(self._until // MINUTE)
        if not self._by_second:
            state = self._state.get(minute, {})
            return (self._minutes.samples.get(minute) if state else None), state
        tick = clock.tick_at(self._until)
        ends = [began for began, state in clock.states if state == POST_GAME]
        if tick is None or tick > min([self._playback.tick, *ends]):
            return None, {}
        return tick, self._latest

    def _cells(self) -> dict[int, dict[tuple[int, int], int]]:
        """Return how many samples each player has in each cell."""
        found: dict[int, dict[tuple[int, int], int]] = {}
        times = self.match.clock.game_seconds_at([tick for tick, _ in self._samples])
        last = None
        for (_tick, places), now in zip(self._samples, times, strict=True):
            if now is None or now > self._until or now == last:  # the clock stops in pauses
                continue
            last = now
            for player, values in places.items():
                cell_x, cell_y, offset_x, offset_y = values
                x, y = _cell(cell_x, offset_x), _cell(cell_y, offset_y)
                if x is not None and y is not None:
                    counts = found.setdefault(player, {})
                    counts[x, y] = counts.get((x, y), 0) + 1
        return found

    def _add_positions(self, rows: list[dict[str, Any]]) -> None:
        """Fill `position` of the players of a team, if every value that it needs is known."""
        samples = []
        for minute in _FARM_MINUTES:
            state = self._state.get(minute, {})
            values = {
                row["player"]: (state[row["player"]]["gold_earned"], state[row["player"]]["last_hits"])
                for row in rows
                if row["player"] in state and minute in self._minutes.samples
            }
            if len(values) < len(rows) or any(None in pair for pair in values.values()):
                return
            samples.append(values)
        if any(row["role_id"] is None for row in rows):
            return
        shares = farm_shares(samples)
        found = positions([{**row, "farm": shares[row["player"]]} for row in rows])
        for row in rows:
            row["position"] = found.get(row["player"])


def _cell(cell: object, offset: object) -> int | None:
    """Return the nearest whole cell of a coordinate; None if a damaged recording has no number there."""
    if not isinstance(cell, int):
        return None
    return round(cell + offset / CELL) if isinstance(offset, float) and -CELL <= offset <= CELL else cell


def _add_opponents(row: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """Fill the opponents in the lane, and the leads over them."""
    if row["role_id"] not in (SAFE, MID, OFF):
        return
    mine = [each for each in rows if each["team"] == row["team"] and each["lane"] == row["lane"]]
    theirs = [each for each in rows if each["team"] != row["team"] and each["lane"] == row["lane"]]
    row["opponent_players"] = [each["player"] for each in theirs]
    for lead, name in (("gold_lead", "gold_earned"), ("xp_lead", "xp")):
        if theirs and all(each.get(name) is not None for each in (*mine, *theirs)):
            own, other = (sum(int(each[name]) for each in side) for side in (mine, theirs))
            row[lead] = round(own / len(mine) - other / len(theirs))
            row[f"lane_{lead}"] = own - other
    lanes = ([each.get("gold_earned") for each in side if not each.get("roaming")] for side in (mine, theirs))
    richest = [max((gold for gold in lane if gold is not None), default=None) for lane in lanes]
    row["lane_outcome"] = outcome(*richest)
