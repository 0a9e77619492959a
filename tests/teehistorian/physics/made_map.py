"""A map that has every tile and entity of the game's physics at least once, scattered at random."""

from __future__ import annotations

import hashlib
from pathlib import Path
from random import Random
from typing import Any

import twmap

WIDTH, HEIGHT = 220, 60
#: Tiles of the game or front layer that act on tees, hooks or shots.
TILES = (
    *(2, 4, 6, 9, 11, 12, 13, 16, 17, 18, 19, 20, 21, 22, 32, 33, 34, 35, 36, 60, 61, 62, 66, 67, 88, 89, 90, 91),
    *(96, 97, 104, 105, 106, 107, 112, 113, 128, 129, 144, 145),
)
#: Tiles of the front layer on walls.
ON_WALLS = (5, 66, 67, 98, 99)
PICKUPS = (6, 7, 8, 9, 10, 11, 35, 36, 37, 38)
MACHINES = (29, 30, 31, 32, 33, 34, 42, 43, 44, 45, 46, 47)
LIGHTS = tuple(range(12, 19))
LENGTHS, MODIFIERS = (19, 20, 21), (22, 23, 24, 25, 26, 27)
TELEPORTERS = (26, 10, 14, 15, 31, 63)
SETTINGS = (
    *("tune_zone 1 gravity 0.2", "tune_zone 1 hook_drag_accel 5", "tune_zone 1 ground_elasticity_y 0.7"),
    *("tune_zone 2 grenade_speed 400", "tune_zone 2 ground_control_speed 15", "tune_zone 2 shotgun_strength 25"),
    *("tune_zone 3 player_collision 0", "tune_zone 3 laser_reach 300", "tune_zone 3 explosion_strength 12"),
)


class _Board:
    """Numbers of all layers, and the places that are still free."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.made = twmap.Map.empty("DDNet06")
        layers = self.made.groups.new_physics().layers
        self.layers = {"game": layers.new_game(WIDTH, HEIGHT)}
        for name in ("Front", "Tele", "Speedup", "Switch", "Tune"):
            self.layers[name.lower()] = layers.new_physics(name)
        self.numbers: dict[str, Any] = {name: layer.tiles for name, layer in self.layers.items()}
        for numbers in self.numbers.values():
            numbers[...] = 0
        self._used: set[tuple[int, int]] = set()

    def place(self, layer: str, value: Any, length: int = 1) -> tuple[int, int]:
        """Put a tile on `length` free places beside each other; return the first, (column, row)."""
        while True:
            x, y = self.random.randint(3, WIDTH - 5 - length), self.random.randint(3, HEIGHT - 5)
            places = [(x + step, y) for step in range(length)]
            if all(not self.numbers["game"][row, column, 0] for column, row in places) and not (
                self._used & {*places}
            ):
                break
        self._used |= {*places}
        for column, row in places:
            self.numbers[layer][row, column] = value
        return x, y

    def save(self, path: Path) -> str:
        """Write the map; return its hash."""
        for name, layer in self.layers.items():
            layer.tiles = self.numbers[name]
        self.made.info.settings = list(SETTINGS)
        path.unlink(missing_ok=True)
        self.made.save(str(path))
        return hashlib.sha256(path.read_bytes()).hexdigest()


def write_made_map(path: Path, seed: int = 7) -> str:
    """Write the map; return its hash."""
    board = _Board(seed)
    random, game, front = board.random, board.numbers["game"], board.numbers["front"]
    game[0, :, 0] = game[-1, :, 0] = game[:, 0, 0] = game[:, -1, 0] = 1
    for row in range(8, HEIGHT - 4, 9):
        column = 2
        while column < WIDTH - 4:
            length = random.randint(4, 14)
            game[row, column : column + length, 0] = random.choice((1, 1, 1, 3))
            column += length + random.randint(3, 7)
    walls = [(row, column) for row in range(8, HEIGHT - 4, 9) for column in range(3, WIDTH - 3)]
    for number, (row, column) in enumerate(
        random.sample([place for place in walls if game[(*place, 0)] == 1], 40)
    ):
        tile = ON_WALLS[number % len(ON_WALLS)]
        front[row, column] = (tile, random.choice((0, 3, 8, 11)) if tile == 67 else 0)
    for number in range(40):
        board.place("game", (192 + number % 3, 0))
    for tile in TILES:
        for number in range(5 if tile in (2, 12, 144) else 9):
            flags = random.choice((0, 2, 3, 8, 11)) if tile in (60, 61, 67) else 0
            in_front = tile == 4 or (number % 3 == 2 and tile not in (66, 67))
            board.place("front" if in_front else "game", (tile, flags), random.randint(1, 3))
    for entity in PICKUPS:
        for number in range(6):
            board.place("front" if number % 3 == 2 else "game", (191 + entity, 0))
    for entity in MACHINES * 2:
        board.place("game", (191 + entity, random.choice((0, 3, 8, 11)) if entity in (33, 34) else 0))
    for number, entity in enumerate(LIGHTS):
        column, row = board.place("game", (191 + entity, 0), 3)
        game[row, column + 1, 0] = 191 + LENGTHS[number % 3]
        game[row, column + 2, 0] = 191 + MODIFIERS[number % 6] if number else 0
    _add_switches(board)
    for number in range(1, 6):
        for _ in range(3 if number < 4 else 1):
            board.place("tele", (number, 27))
        for kind in TELEPORTERS:
            board.place("tele", (number, kind), random.randint(1, 2))
        board.place("tele", (number, 29), 2)
        board.place("tele", (number, 30))
    for _ in range(30):
        force, most = random.choice((2, 5, 10, 50, 255)), random.choice((0, 0, 3, 28, 120))
        board.place("speedup", (force, most, 28, random.choice((0, 30, 45, 90, 180, 225, 270))), 2)
    for number in range(12):
        board.place("tune", (number % 3 + 1, 68), 3)
    return board.save(path)


def _add_switches(board: _Board) -> None:
    random, switch = board.random, board.numbers["switch"]
    for number in range(1, 9):
        for kind in (22, 23, 24, 25) * 2:
            board.place("switch", (number, kind, 0, random.randint(1, 6)), 2)
        for step in ((0, 1), (-1, 0)):
            column, row = board.place("switch", (number, 191 + 49, 0, 0))
            switch[row + step[0], column + step[1]] = (number, 191 + random.choice(LENGTHS), 0, 0)
        for entity in (7, 8, 30, 43):
            board.place("switch", (number, 191 + entity, 0, 0))
        for kind in (9, 12, 13, 144, 145):
            board.place("switch", (number, kind, 0, 2))
    for _ in range(8):
        board.place("switch", (0, 9, 0, random.randint(1, 5)), 2)
        board.place("switch", (0, 7, 0, random.choice((0, 1, 2, 3, 5, 255))))
        board.place("switch", (0, random.choice((19, 20)), 0, random.choice((0, 2, 3, 4))))
        board.place("switch", (0, random.choice((98, 99)), 0, random.choice((0, 1, 2, 3))))
