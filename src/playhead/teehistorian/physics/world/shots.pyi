from typing import Any, final

from playhead.teehistorian.physics.arena.arena import Arena

MOST_SHOTS: int
MOST_BEAMS: int

@final
class Beam:
    @property
    def kind(self) -> int: ...
    @property
    def owner(self) -> int: ...
    @property
    def made(self) -> int: ...
    seen: int
    bounces: int
    was_tele: int
    zero: int
    cancelled: int
    blue: int
    zone: int
    x: float
    y: float
    dx: float
    dy: float
    from_x: float
    from_y: float
    tele_x: float
    tele_y: float
    energy: float
    def __init__(self, kind: int, owner: int, made: int) -> None: ...

@final
class LaserBeams:
    @property
    def beams(self) -> list[Any]: ...
    old: bool
    def __init__(self, arena: Arena) -> None: ...

@final
class Projectile:
    @property
    def kind(self) -> int: ...
    @property
    def owner(self) -> int: ...
    @property
    def aim_x(self) -> int: ...
    @property
    def aim_y(self) -> int: ...
    start: int
    life: int
    zone: int
    freezes: int
    explodes: int
    bounces: int
    number: int
    x: float
    y: float
    dx: float
    dy: float
    def __init__(self, kind: int, owner: int, start: int, life: int) -> None: ...

@final
class FlyingShots:
    @property
    def projectiles(self) -> list[Any]: ...
    outlive: bool
    def __init__(self, arena: Arena) -> None: ...
    def places(self) -> list[tuple[Projectile, float, float]]: ...
