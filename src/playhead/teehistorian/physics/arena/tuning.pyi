from typing import Any, final

DEFAULTS: Any
MOST: float

@final
class Tuning:
    ground_control_speed: float
    ground_control_accel: float
    ground_friction: float
    ground_jump_impulse: float
    air_jump_impulse: float
    air_control_speed: float
    air_control_accel: float
    air_friction: float
    hook_length: float
    hook_fire_speed: float
    hook_drag_accel: float
    hook_drag_speed: float
    gravity: float
    velramp_start: float
    velramp_range: float
    velramp_curvature: float
    player_collision: float
    player_hooking: float
    jetpack_strength: float
    hammer_strength: float
    hook_duration: float
    hammer_fire_delay: float
    gun_fire_delay: float
    shotgun_fire_delay: float
    grenade_fire_delay: float
    laser_fire_delay: float
    ninja_fire_delay: float
    hammer_hit_fire_delay: float
    gun_curvature: float
    gun_speed: float
    gun_lifetime: float
    shotgun_curvature: float
    shotgun_speed: float
    shotgun_strength: float
    grenade_curvature: float
    grenade_speed: float
    grenade_lifetime: float
    laser_reach: float
    laser_bounce_delay: float
    laser_bounce_num: float
    laser_bounce_cost: float
    explosion_strength: float
    ground_elasticity_x: float
    ground_elasticity_y: float
    def __init__(self, unknown: tuple[str, ...] = ()) -> None: ...
    def reset(self) -> None: ...
    def change(self, name: str, value: float) -> bool: ...
