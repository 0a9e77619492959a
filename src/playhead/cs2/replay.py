"""`Cs2Replay`: a Source 2 demo of CS2, with tables of facts besides the engine's tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from playhead.model import Check
from playhead.runtime.cached import cached_property
from playhead.runtime.libraries import pa
from playhead.runtime.records import replace
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.source2.game_replay import GameReplay
from playhead.tables.schema import Column
from playhead.tables.shared import PLAYERS
from playhead.tables.vocabulary import word
from playhead.text.names import listed

if TYPE_CHECKING:
    from playhead.clock import Clock
    from playhead.cs2.facts.rounds import MatchOutcome
    from playhead.cs2.sources.match import Cs2Match, Cs2World
    from playhead.cs2.sources.people import Person
    from playhead.model import Info, Player

# Modules of facts are imported in functions: a playback alone does not need them.


class Cs2Replay(GameReplay["Cs2World"]):
    """One CS2 recording: a `GameReplay`."""

    checks_lives = True
    players_schema = PLAYERS.extended(
        word("slot", "The one that the person has or had last: the index of the controller less 1."),
        Column("first_tick", "int32", "First tick with the person's controller.", "ticks"),
        Column("last_tick", "int32", "Tick at which the controller left, or the last one.", "ticks"),
    )
    #: Number of the round in which a later recording of the match starts, which undoes it here; None for none.
    undone_from: int | None = None
    _match: Cs2Match | None = None

    # -- tables -----------------------------------------------------------------------------------------

    def table(
        self,
        name: str,
        *,
        columns: str | Iterable[str] | None = None,
        jobs: int = 1,
        areas: bool = False,
        **options: Any,
    ) -> pa.Table:
        """As `GameReplay.table`. With `areas`, each place of a row also has the area of the nav mesh below it, by
        the map of the installed game: ``area_id``, ``attacker_area_id``, or null.

        Raises:
            ValueError: no installed game has the map, or the table has no places.
        """
        if not areas:
            return super().table(name, columns=columns, jobs=jobs, **options)
        from playhead.cs2.sources.maps import with_areas

        found = with_areas(super().table(name, jobs=jobs, **options), self.brief_info.map or "")
        if columns is None:
            return found
        more = [each for each in found.column_names if each.endswith("area_id")]
        return found.select([*listed(columns), *more])

    # -- people and the clock ---------------------------------------------------------------------------

    def _learn(self, match: Cs2Match) -> None:
        self._match = self._match or match  # first: it stands, as far as it is known, if its end fails
        super()._learn(match)

    def _played(self) -> Cs2Match | None:
        """Return people and rounds of the whole recording; play it if no table was built before."""
        with self.lock:
            if self._match is None and self.recording.declares_classes:
                self.play_for(self._facts(()))
            return self._match

    def _load_players(self) -> tuple[Player, ...]:
        match = self._played()
        found = (
            ()
            if match is None
            else tuple(person.as_player(match.people.last_side(person)) for person in match.people)
        )
        return self._with_results(found or super()._load_players())

    def _with_results(self, players: Iterable[Player]) -> tuple[Player, ...]:
        results = self._outcome.results
        return tuple(
            player if player.player is None else replace(player, result=results.get(player.player))
            for player in players
        )

    @cached_property
    def _outcome(self) -> MatchOutcome:
        """The outcome of the match, by its rounds."""
        from playhead.cs2.facts.rounds import MatchOutcome

        return self._read_or_note(
            "the outcome of the match", self._find_outcome, MatchOutcome, "the winner and results of players"
        )

    def _find_outcome(self) -> MatchOutcome:
        from playhead.cs2.facts.rounds import MatchOutcome, outcome_of

        match = self._played()
        if match is None:
            return MatchOutcome()
        return outcome_of(match.rounds, {person.player: person.clan for person in match.people})

    def _load_info(self) -> Info:
        """As `brief_info`, with the winner. It plays the recording, unless a table of facts was built before."""
        from playhead.cs2.sources.words import TEAMS

        won = self._outcome
        team = None if won.winner_side is None else TEAMS[won.winner_side]
        return replace(
            super()._load_info(), winner_team=team, winner_side=won.winner_side, winner_name=won.winner_name
        )

    @property
    def clock(self) -> Clock | None:
        """As `Replay.clock`: the time left in the round, ``R5 1:32``. The first access plays the recording, unless
        a table of facts was built before.
        """
        match = self._played()
        return self.brief_info.clock if match is None else match.clock

    def _moment(self, tick: int) -> Cs2World:
        played = self._played()
        number = (lambda person: person.player) if played is None else played.people.number_of
        return self._world(tick, tick, self.brief_info.clock if played is None else played.clock, number)

    def _world(self, tick: int, shown_tick: int, clock: Clock | None, number: Callable[[Person], int]) -> Cs2World:
        """Return the state at a tick, with the tick, clock and numbers of players that are given: those of a whole
        match if this is a part of one.
        """
        from playhead.cs2.sources.match import Cs2World

        follower: Any = self._facts(())[0]
        return Cs2World(self._playback_at(tick, [follower]), shown_tick, clock, follower.match, number)

    def _unfilled_reasons(self) -> Mapping[str, str]:
        """The tables of facts that this recording cannot fill or fills in part, each with the reason."""
        from playhead.cs2.facts import TABLES
        from playhead.cs2.facts.player_series import column_fields
        from playhead.cs2.sources.unfilled import unfilled_tables
        from playhead.source2.tables.info import UNDECIDED

        reads = {name: kind.fields for name, kind in TABLES.own().items()}
        return {
            **super()._unfilled_reasons(),
            **UNDECIDED,
            **unfilled_tables(self.recording, reads, column_fields()),
        }

    def _checks(self) -> Iterable[Check]:
        """As for `GameReplay`; a death without a report is a problem too."""
        from playhead.errors import CorruptReplay

        yield from super()._checks()
        for row in self.table("kills").select(["tick", "victim_name", "known_by"]).to_pylist():
            if row["known_by"] == "state":
                expected = f"event player_death of {row['victim_name']}"
                wrong = CorruptReplay(f"expected {expected}, found none", tick=row["tick"])
                self.note(wrong, "who killed how; table kills has the death, with known_by state", "facts")

    def to_tick(self, when: int | float | str) -> int:
        """As `Replay.to_tick`; the displayed time is that of a round: ``R5`` (freeze time ended), ``R5 1:32``,
        ``R5 freeze 0:07``, ``R5 bomb 0:31``.
        """
        if isinstance(when, str) and not when.strip().endswith(("s", "t")):  # not seconds or a tick
            clock = self.clock
            if clock is None:
                raise ValueError("the recording does not have its tick rate; expected a tick")
            return clock.tick_at(when)
        return super().to_tick(when)

    def _span_of(self, when: int | float | str) -> tuple[int, int]:
        """As `Timed._span_of`; of a round (``R5``), its first and last tick."""
        found = re.fullmatch(r"R([0-9]{1,4})", when.strip(), re.IGNORECASE) if isinstance(when, str) else None
        clock: Any = self.clock
        ticks = None if found is None or clock is None else clock.round_ticks(int(found[1]))
        if ticks is None:
            return super()._span_of(when)
        last = ticks[1] if ticks[1] is not None else self._last_tick()
        return ticks[0], ticks[0] if last is None else last
