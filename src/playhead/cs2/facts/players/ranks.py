"""Table ``ranks``."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from playhead.cs2.facts import TABLES, TIME, person
from playhead.cs2.sources.match import Cs2Facts
from playhead.cs2.sources.pawn import CONTROLLER
from playhead.cs2.sources.people import columns_of
from playhead.cs2.sources.words import RANK_TYPES, word_of
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word

_RANKS = {
    "rank": ("m_iCompetitiveRanking", ""),
    "rank_type_id": ("m_iCompetitiveRankType", ""),
    "wins": ("m_iCompetitiveWins", "Matches won."),
    "rank_if_win": ("m_iCompetitiveRankingPredicted_Win", "Rank after a win."),
    "rank_if_loss": ("m_iCompetitiveRankingPredicted_Loss", "Rank after a loss."),
    "rank_if_tie": ("m_iCompetitiveRankingPredicted_Tie", "Rank after a tie."),
}
_UPDATE = "CS_UM_ServerRankUpdate"

RANKS = TableSchema.of(
    "ranks",
    "One row for each rank that a controller has, at its first value and each change, and for each "
    "CS_UM_ServerRankUpdate.",
    *TIME,
    *person(),
    word("rank", "Or rating; m_iCompetitiveRanking."),
    Column("rank_type", "category", "Kind of the rank: premier, competitive, wingman; null for none."),
    Column("rank_type_id", "int64", "m_iCompetitiveRankType; -1 for none."),
    *(Column(name, "int32", f"{doc} {field}.") for name, (field, doc) in _RANKS.items() if doc),
    Column("rank_old", "int32", "Rank before the match, of the message; null without it."),
    Column("rank_change", "float32", "Change, of the message; null without it."),
)


@TABLES.maker_of(RANKS)
class Ranks(Cs2Facts):
    """Table ``ranks``."""

    entities: ClassVar = True
    fields = MappingProxyType({CONTROLLER: tuple(field for field, _ in _RANKS.values())})

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._known: dict[int, tuple[Any, ...]] = {}
        watch = FieldWatch([field for field, _ in _RANKS.values()], self._on_controller)
        playback.entities.on_entity(watch, CONTROLLER)
        self.match.on_fields(playback, _UPDATE, self._on_update)

    def _on_controller(self, controller: Entity, op: EntityOp) -> None:
        owner = self.match.people.in_slot(controller.index - 1)
        if op & EntityOp.DELETED or owner is None or owner.is_bot or not owner.account:
            return
        values = tuple(controller.get_int(field) for field, _ in _RANKS.values())
        if any(value is not None for value in values) and self._known.get(owner.player) != values:
            self._known[owner.player] = values
            row = {"tick": self._playback.tick, **columns_of(owner, "")}
            self._rows.append(row | dict(zip(_RANKS, values, strict=True)))

    def _on_update(self, tick: int, fields: Mapping[Any, Any]) -> None:
        for update in fields.get("rank_update") or ():
            number = update.get("account_id")
            found = (each for each in self.match.people if number and each.account & 0xFFFFFFFF == number)
            row = {"tick": tick, **columns_of(next(found, None), ""), "rank": update.get("rank_new")}
            row |= {"rank_old": update.get("rank_old"), "wins": update.get("num_wins")}
            row |= {"rank_change": update.get("rank_change"), "rank_type_id": update.get("rank_type_id")}
            self._rows.append(row)

    def rows(self) -> list[dict[str, Any]]:
        return [row | {"rank_type": word_of(RANK_TYPES, row["rank_type_id"], "type")} for row in self._rows]
