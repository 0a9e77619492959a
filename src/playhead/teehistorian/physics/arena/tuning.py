"""`Tuning`: the constants of movement that a server, a map or a zone of a map can change."""

from __future__ import annotations

import math

from playhead.runtime import cython

#: Names and defaults of all values that movement or shots depend on.
DEFAULTS = {
    "ground_control_speed": 10.0,
    "ground_control_accel": 2.0,
    "ground_friction": 0.5,
    "ground_jump_impulse": 13.2,
    "air_jump_impulse": 12.0,
    "air_control_speed": 5.0,
    "air_control_accel": 1.5,
    "air_friction": 0.95,
    "hook_length": 380.0,
    "hook_fire_speed": 80.0,
    "hook_drag_accel": 3.0,
    "hook_drag_speed": 15.0,
    "gravity": 0.5,
    "velramp_start": 550.0,
    "velramp_range": 2000.0,
    "velramp_curvature": 1.4,
    "player_collision": 1.0,
    "player_hooking": 1.0,
    "jetpack_strength": 400.0,
    "hammer_strength": 1.0,
    "hook_duration": 1.25,
    "hammer_fire_delay": 125.0,
    "gun_fire_delay": 125.0,
    "shotgun_fire_delay": 500.0,
    "grenade_fire_delay": 500.0,
    "laser_fire_delay": 800.0,
    "ninja_fire_delay": 800.0,
    "hammer_hit_fire_delay": 320.0,
    "gun_curvature": 0.0,
    "gun_speed": 1400.0,
    "gun_lifetime": 2.0,
    "shotgun_curvature": 0.0,
    "shotgun_speed": 500.0,
    "shotgun_strength": 10.0,
    "grenade_curvature": 7.0,
    "grenade_speed": 1000.0,
    "grenade_lifetime": 2.0,
    "laser_reach": 800.0,
    "laser_bounce_delay": 150.0,
    "laser_bounce_num": 1000.0,
    "laser_bounce_cost": 0.0,
    "explosion_strength": 6.0,
    "ground_elasticity_x": 0.0,
    "ground_elasticity_y": 0.0,
}

#: Largest value: hooks and tees move in steps of one unit, and a hostile value must not take for ever.
MOST = 10_000.0


@cython.final
@cython.cclass
class Tuning:
    """Values in units and ticks, except delays (milliseconds) and `hook_duration` (seconds)."""

    def __init__(self, unknown: tuple[str, ...] = ()) -> None:
        """`unknown`: names that the server does not know; they keep their defaults."""
        self._unknown = ()
        self.reset()
        self._unknown = unknown

    def reset(self) -> None:
        """Set all values to their defaults."""
        for name in DEFAULTS:
            self.change(name, DEFAULTS[name])

    def change(self, name: str, value: float) -> bool:
        """Set one value, in steps of a hundredth; return False if no movement depends on that name.

        The server drops digits after the second. A value that is no number, or above `MOST`, is cut to it.
        """
        if name not in DEFAULTS or name in self._unknown:
            return False
        if not math.isfinite(value):
            value = 0.0
        from playhead.teehistorian.physics.arena.single import single

        hundredths = int(single(single(max(-MOST, min(MOST, value))) * 100.0))
        setattr(self, name, single(hundredths / 100.0))
        return True

    def fire_delay(self, weapon: cython.int) -> cython.float:
        """Return the delay after a shot, in milliseconds."""
        if weapon == 0:
            return self.hammer_fire_delay
        if weapon == 1:
            return self.gun_fire_delay
        if weapon == 2:
            return self.shotgun_fire_delay
        if weapon == 3:
            return self.grenade_fire_delay
        if weapon == 4:
            return self.laser_fire_delay
        return self.ninja_fire_delay
