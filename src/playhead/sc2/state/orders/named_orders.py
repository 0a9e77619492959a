"""Orders by the name of their ability, with their repetitions."""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.merged_rows import gathered
from playhead.blizzard.events.scope import FINE
from playhead.blizzard.protocol.tables import GAME
from playhead.blizzard.tables.registry import StreamSource
from playhead.blizzard.units.spans import places_with
from playhead.sc2.state.orders.command_rows import command_abilities, command_rows


class NamedOrder(NamedTuple):
    """An order, an update or a repetition of one.

    Attributes:
        row: of its event in the stream.
        kind: as in table ``commands``.
        loop: of its event.
        user: of its event.
        player: of the user; None for an observer.
        name: of the ability's command.
        target: unit tag of the target; None without one.
        x, y: of the target, in cells; None without one.
    """

    row: int
    kind: str
    loop: int
    user: int
    player: int | None
    name: str
    target: int | None
    x: float | None
    y: float | None


def named_orders(source: StreamSource, names: Container[str]) -> list[NamedOrder]:
    """Return the orders with an ability of these names, in file order; empty if the names are unknown."""
    game = source.stream(GAME)
    if game is None or not game.kinds:
        return []
    held = command_rows(game)
    codes, texts = command_abilities(game, source)
    wanted = places_with(codes, [text in names for text in texts])
    loops, users, *_ = game.rows.heads
    players = source.players_by_user
    kinds, parts, orders = held.kinds, held.merged.part, held.merged.orders
    targets, xs, ys = (held.columns[name] for name in ("target_unit", "x", "y"))
    rows = [orders[place] for place in wanted]
    who = [users[row] for row in rows]
    columns = (
        rows,
        [kinds[parts[place]] for place in wanted],
        [loops[row] for row in rows],
        who,
        map(players.get, who),
        [texts[codes[place]] for place in wanted],
        [None if tag in (NOTHING, 0) else tag for tag in gathered(targets, wanted)],
        *([None if spot == NOTHING else spot / FINE for spot in gathered(axis, wanted)] for axis in (xs, ys)),
    )
    return list(map(NamedOrder._make, zip(*columns, strict=True)))  # a game has thousands


def times_of_orders(
    source: StreamSource, names: Container[str], kinds: Container[str]
) -> list[tuple[int, int, str]]:
    """Return loop, player and name of the orders of known players with an ability of these names, and of these
    kinds (as `NamedOrder.kind`), in order of time."""
    game = source.stream(GAME)
    if game is None or not game.kinds:
        return []
    held = command_rows(game)
    codes, texts = command_abilities(game, source)
    loops, users, *_ = game.rows.heads
    players = source.players_by_user
    is_wanted, parts, orders = [kind in kinds for kind in held.kinds], held.merged.part, held.merged.orders
    wanted = places_with(codes, [text in names for text in texts])
    found = [(orders[place], texts[codes[place]]) for place in wanted if is_wanted[parts[place]]]
    return sorted(
        (loops[row], player, name) for row, name in found if (player := players.get(users[row])) is not None
    )
