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

@final
class Body:
    @property
    def cid(self) -> int: ...
    @property
    def holder(self) -> int: ...
    @property
    def outcome(self) -> int: ...
    tuning: Tuning
    safe: Body
    alive: int
    team: int
    direction: int
    angle: int
    jumped: int
    jumped_total: int
    jumps: int
    hook_state: int
    hook_ticks: int
    hooked: int
    events: int
    grounded: int
    in_direction: int
    in_x: int
    in_y: int
    in_jump: int
    in_fire: int
    in_hook: int
    in_wanted: int
    saved_direction: int
    saved_x: int
    saved_y: int
    saved_jump: int
    saved_fire: int
    saved_hook: int
    aim_x: int
    aim_y: int
    fire: int
    next_weapon: int
    prev_weapon: int
    wanted: int
    last_fire: int
    last_next: int
    last_prev: int
    inputs: int
    weapon: int
    queued: int
    former_weapon: int
    reload: int
    owned: int
    freeze_ticks: int
    freeze_start: int
    thawed: int
    deep: int
    live: int
    solo: int
    super_tee: int
    no_collision: int
    no_hook: int
    no_hits: int
    endless_hook: int
    endless_jump: int
    jetpack: int
    refilled: int
    tele_checkpoint: int
    tune_zone: int
    restrictions: int
    core_restrictions: int
    colliding: int
    left_wall: int
    ninja_start: int
    ninja_move: int
    paused: int
    sword: int
    freeze_hammer: int
    unheard: int
    new_hook: int
    known: int
    unsure: int
    old_hook: int
    telegun: int
    gun_state: int
    attack_tick: int
    born: int
    met_low: int
    met_high: int
    gun_x: float
    gun_y: float
    x: float
    y: float
    vel_x: float
    vel_y: float
    hook_x: float
    hook_y: float
    hook_dx: float
    hook_dy: float
    base_x: float
    base_y: float
    shown_x: float
    shown_y: float
    former_x: float
    former_y: float
    ninja_x: float
    ninja_y: float
    ninja_speed: float
    ramp: float
    def __init__(self, cid: int) -> None: ...
    def forget_inputs(self) -> None: ...
    def let_go(self) -> int: ...
    def place(self, x: int, y: int) -> int: ...
    def reset(self, x: int, y: int) -> int: ...
    def exchange(self, other: Body) -> int: ...
