"""Table ``periods``: the states of the game and its pauses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from playhead.dota2.facts import TABLES
from playhead.dota2.sources.chat_events import ChatEvents
from playhead.dota2.sources.game_clock import state_name
from playhead.dota2.sources.match import SIDES, Dota2Facts
from playhead.runtime.libraries import pa
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column
from playhead.tables.shared import PERIODS
from playhead.tables.vocabulary import word

# Largest distance, in ticks, of the chat event of a pause; it arrives with the pause or one packet later.
_LINE_NEAR = 30
# Kind of a period by the game's state, where that is not the state's name.
_KINDS = {
    "HERO_SELECTION": "draft",
    "PLAYER_DRAFT": "draft",
    "STRATEGY_TIME": "strategy",
    "TEAM_SHOWCASE": "showcase",
    "GAME_IN_PROGRESS": "game",
}

DOTA2_PERIODS = PERIODS.extended(
    word("state", "DOTA_GameState: HERO_SELECTION, PRE_GAME, GAME_IN_PROGRESS …; null for pauses."),
    Column("has_start", "bool", "Its start is in the recording."),
    Column("by_player", "int32", "Player who paused: the chat event CHAT_MESSAGE_PAUSED; null without one."),
    word("by_team", "That paused: m_iPauseTeam."),
    word("by_side"),
    Column(
        "server_seconds",
        "float64",
        "The server's clock without pauses, which entity fields use.",
        "s",
    ),
)


@TABLES.maker_of(DOTA2_PERIODS)
class GamePeriods(Dota2Facts):
    """Table ``periods``, from the clock of the `Dota2Match`: `game` begins at 0:00."""

    entities: ClassVar = True

    def attach(self, playback: Playback) -> None:
        self._chat = ChatEvents(self.match, playback, ("PAUSED",))

    def tables(self) -> Mapping[str, pa.Table]:
        rows = sorted([*self._states(), *self._pauses()], key=lambda row: int(row["tick"]))
        numbers: Counter[str] = Counter()
        for row in rows:
            numbers[row["kind"]] += 1
            row |= {"number": numbers[row["kind"]], "counts": row["kind"] in ("game", "pause")}
            row["server_seconds"] = self.match.clock.server_seconds(row["tick"])
        return {DOTA2_PERIODS.name: self.match.table(DOTA2_PERIODS, rows)}

    def _states(self) -> Iterator[dict[str, Any]]:
        horn = self.match.clock.horn_tick
        names = [state_name(state) for _, state in self.match.clock.states]
        ticks: list[int | None] = [
            tick if horn is None or name != "GAME_IN_PROGRESS" else horn
            for name, (tick, _) in zip(names, self.match.clock.states, strict=True)
        ]
        for place, (name, tick, end) in enumerate(zip(names, ticks, [*ticks[1:], None], strict=False)):
            kind = _KINDS.get(name, name.lower())
            yield {
                "tick": tick,
                "end_tick": end,
                "kind": kind,
                "state": name,
                "has_start": place > 0,
                "winner_side": SIDES.get(self.match.winner or 0) if kind == "game" else None,
            }

    def _pauses(self) -> Iterator[dict[str, Any]]:
        for tick, end, team in self.match.clock.pauses:
            near = [line for line in self._chat.events if abs(line.tick - tick) <= _LINE_NEAR]
            line = min(near, key=lambda line: abs(line.tick - tick), default=None)
            by = None if line is None else line.player_1
            yield {
                "tick": tick,
                "end_tick": end,
                "kind": "pause",
                "has_start": tick > 0,
                "by_player": by,
                "by_team": team,
            }
