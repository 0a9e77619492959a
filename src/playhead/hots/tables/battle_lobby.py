"""The table ``battle_lobby``: BattleTags."""

from __future__ import annotations

from playhead.hots.tables.registry import TableSource, table
from playhead.runtime.libraries import pa
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import words

BATTLE_LOBBY = TableSchema.of(
    "battle_lobby",
    "One row for each person in the server's data about the lobby. These are personal data.",
    *words("user player name"),
    Column("battle_tag", "string", "Name and number of the account at Battle.net."),
    Column(
        "party_known", "bool", "The record was read to its end, so that a null `party` in `players` is a fact."
    ),
    group="file",
)


@table(BATTLE_LOBBY)
def battle_lobby(source: TableSource) -> pa.Table:
    """Return the table ``battle_lobby``."""
    return BATTLE_LOBBY.build_rows(
        [
            {
                "user": user,
                "player": source.players_by_user.get(user),
                "name": source.names_by_user.get(user),
                "battle_tag": person.battle_tag,
                "party_known": person.party_known,
            }
            for user, person in sorted(source.lobby_people.items())
        ]
    )
