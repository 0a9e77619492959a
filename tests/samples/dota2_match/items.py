"""`Items`: what players of the written match buy, use up, sell, drop, pick up and combine."""

from __future__ import annotations

from tests.samples.dota2_match.field import Battlefield
from tests.samples.dota2_match.log import HERO_NAMES, NAMES
from tests.samples.dota2_match.plan import RATE
from tests.samples.source2.entities import cell_fields

from playhead.dota2.sources.roster import NO_HANDLE

_FIRST_ITEM, _FIRST_ON_GROUND = 2000, 2100
_PRICE = 250


class Items:
    """The items.

    Args:
        match: the match.
    """

    def __init__(self, match: Battlefield) -> None:
        self._match = match
        self._next = _FIRST_ITEM
        # Index, name and slot of each item, by its word in the plan.
        self._items: dict[str, tuple[int, str, int, int]] = {}
        self._on_ground: dict[str, int] = {}

    def play(self, tick: int, game: int) -> None:
        """Play a tick."""
        for second, action in _PLAN:
            if game // 2 == second * RATE // 2:
                word, *rest = action
                getattr(self, word)(tick, *rest)

    def _tell(self, tick: int, player: int, item: str, change: str, *more: object) -> None:
        self._match.story["items"].append([tick, player, item, change, *more])

    def _put(self, player: int, slot: int, handle: int) -> None:
        self._match.put(self._match.index_of(player), {f"m_hItems.{slot:04}": handle})

    def buy(self, tick: int, word: str, player: int, item: str, slot: int, kind: str, charges: int) -> None:
        """Buy an item of a class."""
        match, index = self._match, self._next
        self._next += 1
        match.log.add("PURCHASE", to=HERO_NAMES[player], value=NAMES.index(item))
        match.create(index, f"CDOTA_Item_{kind}", {"m_iCurrentCharges": charges, **match.name_field(item)})
        self._items[word] = index, item, player, slot
        self._put(player, slot, match.handle_of(index))
        self._tell(tick, player, item, "purchase")

    def use(self, tick: int, word: str, left: int) -> None:
        """Use an item with charges."""
        index, item, player, _ = self._items[word]
        self._match.log.add("ITEM", by=HERO_NAMES[player], to=HERO_NAMES[player], inflictor=item)
        if left:
            self._match.put(index, {"m_iCurrentCharges": left})
            self._tell(tick, player, item, "charges", left)
        else:
            self._end(tick, word, "consumption")

    def sell(self, tick: int, word: str) -> None:
        """Sell an item."""
        player = self._items[word][2]
        self._match.log.add("GOLD", to=HERO_NAMES[player], value=_PRICE, gold_reason=6)
        self._end(tick, word, "sale", _PRICE)

    def lose(self, tick: int, word: str) -> None:
        """Lose an item by nothing that the recording tells."""
        self._end(tick, word, "loss")

    def combine(self, tick: int, *words: str) -> None:
        """Use items up for another, which comes right after."""
        for word in words:
            self._end(tick, word, "combination")

    def _end(self, tick: int, word: str, change: str, *more: object) -> None:
        index, item, player, slot = self._items.pop(word)
        self._put(player, slot, NO_HANDLE)
        self._match.remove(index)
        self._tell(tick, player, item, change, *more)

    def drop(self, tick: int, word: str) -> None:
        """Lay an item on the ground."""
        index, item, player, slot = self._items[word]
        match, ground = self._match, _FIRST_ON_GROUND + len(self._on_ground)
        x, y = match.where[match.index_of(player)]
        match.create(ground, "CDOTA_Item_Physical", {"m_hItem": match.handle_of(index), **cell_fields(x, y)})
        self._put(player, slot, NO_HANDLE)
        self._on_ground[word] = ground
        self._tell(tick, player, item, "drop")

    def pick_up(self, tick: int, word: str, player: int, slot: int) -> None:
        """Take an item from the ground."""
        index, item, *_ = self._items[word]
        self._match.remove(self._on_ground[word])
        self._items[word] = index, item, player, slot
        self._put(player, slot, self._match.handle_of(index))
        self._tell(tick, player, item, "pickup")

    def move(self, tick: int, word: str, slot: int) -> None:
        """Put an item into another slot, which is no change."""
        index, item, player, before = self._items[word]
        self._put(player, before, NO_HANDLE)
        self._put(player, slot, self._match.handle_of(index))
        self._items[word] = index, item, player, slot


# Second of the match, and the action: name of the method, and its arguments without the tick.
_PLAN: tuple[tuple[int, tuple[object, ...]], ...] = (
    (20, ("buy", "tango", 1, "item_tango", 0, "Tango", 3)),
    (21, ("buy", "boots", 2, "item_boots", 0, "Boots", 0)),
    (22, ("buy", "branches", 3, "item_branches", 1, "Branches", 0)),
    (23, ("buy", "wand", 7, "item_magic_wand", 2, "Magic_Wand", 0)),
    (24, ("buy", "part", 6, "item_boots", 0, "Boots", 0)),
    (25, ("buy", "other part", 6, "item_branches", 1, "Branches", 0)),
    (30, ("use", "tango", 2)),
    (34, ("use", "tango", 1)),
    (38, ("use", "tango", 0)),
    (50, ("sell", "boots")),
    (55, ("drop", "branches")),
    (58, ("move", "wand", 7)),
    (61, ("pick_up", "branches", 4, 3)),
    (65, ("combine", "part", "other part")),
    (65, ("buy", "treads", 6, "item_power_treads", 0, "Power_Treads", 0)),
    (72, ("lose", "wand")),
)
