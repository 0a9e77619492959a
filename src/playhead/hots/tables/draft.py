"""The table ``draft``: bans and picks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from playhead.blizzard.events.tracker import HeroBannedEvent, HeroPickedEvent, HeroSwappedEvent
from playhead.hots.members.setting import WHOLE_GAME
from playhead.hots.tables.registry import TableSource, table
from playhead.hots.tables.statistics import people_of, team_of, tracker_events
from playhead.runtime.libraries import pa
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

DRAFT = TableSchema.of(
    "draft",
    "One row for each ban, pick and swap of a draft. They are in order if the tracker has them; otherwise the "
    "bans are those of the lobby's attributes, blue first.",
    Column("order", "int32", "Place in the draft, from 0."),
    word("action", "ban, pick or swap (the hero goes to another player of the team)."),
    *words("team side"),
    word("player", "Who got the hero; null for bans."),
    word("hero", "The game's own name; null for a ban that was skipped, and if only attributes have the ban."),
    Column("hero_code", "category", "The four letters of the hero in the attributes."),
    word("known_by", "tracker or attributes."),
)
#: Attributes of the whole game with the bans of a team, in their order.
_BANS = {1: (4023, 4025, 4043), 2: (4028, 4030, 4045)}
#: The hero of a ban that its team let pass.
_SKIPPED = "NONE"
_ACTIONS = {HeroBannedEvent: "ban", HeroPickedEvent: "pick", HeroSwappedEvent: "swap"}


def _of_tracker(source: TableSource) -> Iterator[dict[str, Any]]:
    people = people_of(source)
    slots = {each.details.get("working_set_slot"): each.player for each in source.players}
    for event in tracker_events(source, *_ACTIONS):
        # The lobby's slot, from 0, which only replays before 2015 do not have.
        player = None if isinstance(event, HeroBannedEvent) else slots.get(event.picker)
        team = event.team_id if isinstance(event, HeroBannedEvent) else people.get(player or 0, {}).get("team")
        hero = None if event.hero == _SKIPPED else event.hero
        yield {"action": _ACTIONS[type(event)], **team_of(team), "player": player, "hero": hero}


def attribute_bans(source: TableSource) -> Iterator[dict[str, Any]]:
    """Yield the bans that the lobby's attributes have."""
    held = {each.attribute: each.value.strip() for each in source.attributes if each.scope == WHOLE_GAME}
    for team, attributes in _BANS.items():
        for code in filter(None, map(held.get, attributes)):
            yield {"action": "ban", **team_of(team), "hero_code": code}


@table(DRAFT, reads=tuple(_ACTIONS))
def draft(source: TableSource) -> pa.Table:
    """Return the table ``draft``."""
    rows, known_by = list(_of_tracker(source)), "tracker"
    if not rows:
        rows, known_by = list(attribute_bans(source)), "attributes"
    return DRAFT.build_rows([{"order": place, **row, "known_by": known_by} for place, row in enumerate(rows)])
