from typing import final

from playhead.teehistorian.physics.arena.tuning import Tuning

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
