from libc.string cimport memcpy

cdef class Tuning:
    cdef tuple _unknown
    cdef public float ground_control_speed
    cdef public float ground_control_accel
    cdef public float ground_friction
    cdef public float ground_jump_impulse
    cdef public float air_jump_impulse
    cdef public float air_control_speed
    cdef public float air_control_accel
    cdef public float air_friction
    cdef public float hook_length
    cdef public float hook_fire_speed
    cdef public float hook_drag_accel
    cdef public float hook_drag_speed
    cdef public float gravity
    cdef public float velramp_start
    cdef public float velramp_range
    cdef public float velramp_curvature
    cdef public float player_collision
    cdef public float player_hooking
    cdef public float jetpack_strength
    cdef public float hammer_strength
    cdef public float hook_duration
    cdef public float hammer_fire_delay
    cdef public float gun_fire_delay
    cdef public float shotgun_fire_delay
    cdef public float grenade_fire_delay
    cdef public float laser_fire_delay
    cdef public float ninja_fire_delay
    cdef public float hammer_hit_fire_delay
    cdef public float gun_curvature
    cdef public float gun_speed
    cdef public float gun_lifetime
    cdef public float shotgun_curvature
    cdef public float shotgun_speed
    cdef public float shotgun_strength
    cdef public float grenade_curvature
    cdef public float grenade_speed
    cdef public float grenade_lifetime
    cdef public float laser_reach
    cdef public float laser_bounce_delay
    cdef public float laser_bounce_num
    cdef public float laser_bounce_cost
    cdef public float explosion_strength
    cdef public float ground_elasticity_x
    cdef public float ground_elasticity_y
    cdef float fire_delay(self, int weapon) noexcept


cdef class Body:
    cdef readonly int cid
    cdef readonly int holder
    cdef readonly int outcome
    cdef public Tuning tuning
    cdef public Body safe
    cdef public int alive
    cdef public int team
    cdef public int direction
    cdef public int angle
    cdef public int jumped
    cdef public int jumped_total
    cdef public int jumps
    cdef public int hook_state
    cdef public int hook_ticks
    cdef public int hooked
    cdef public int events
    cdef public int grounded
    cdef public int in_direction
    cdef public int in_x
    cdef public int in_y
    cdef public int in_jump
    cdef public int in_fire
    cdef public int in_hook
    cdef public int in_wanted
    cdef public int saved_direction
    cdef public int saved_x
    cdef public int saved_y
    cdef public int saved_jump
    cdef public int saved_fire
    cdef public int saved_hook
    cdef public int aim_x
    cdef public int aim_y
    cdef public int fire
    cdef public int next_weapon
    cdef public int prev_weapon
    cdef public int wanted
    cdef public int last_fire
    cdef public int last_next
    cdef public int last_prev
    cdef public int inputs
    cdef public int weapon
    cdef public int queued
    cdef public int former_weapon
    cdef public int reload
    cdef public int owned
    cdef public int freeze_ticks
    cdef public int freeze_start
    cdef public int thawed
    cdef public int deep
    cdef public int live
    cdef public int solo
    cdef public int super_tee
    cdef public int no_collision
    cdef public int no_hook
    cdef public int no_hits
    cdef public int endless_hook
    cdef public int endless_jump
    cdef public int jetpack
    cdef public int refilled
    cdef public int tele_checkpoint
    cdef public int tune_zone
    cdef public int restrictions
    cdef public int core_restrictions
    cdef public int colliding
    cdef public int left_wall
    cdef public int ninja_start
    cdef public int ninja_move
    cdef public int paused
    cdef public int sword
    cdef public int freeze_hammer
    cdef public int unheard
    cdef public int new_hook
    cdef public int known
    cdef public int unsure
    cdef public int old_hook
    cdef public int telegun
    cdef public int gun_state
    cdef public int attack_tick
    cdef public int born
    cdef public long long met_low
    cdef public long long met_high
    cdef public float gun_x
    cdef public float gun_y
    cdef public float x
    cdef public float y
    cdef public float vel_x
    cdef public float vel_y
    cdef public float hook_x
    cdef public float hook_y
    cdef public float hook_dx
    cdef public float hook_dy
    cdef public float base_x
    cdef public float base_y
    cdef public float shown_x
    cdef public float shown_y
    cdef public float former_x
    cdef public float former_y
    cdef public float ninja_x
    cdef public float ninja_y
    cdef public float ninja_speed
    cdef public float ramp

    cpdef int let_go(self) except -1
    cdef int release_hook(self) noexcept
    cpdef int place(self, int x, int y) except -1
    cpdef int reset(self, int x, int y) except -1
    cdef int copy(self, Body other) except -1
    cdef int keep_safe(self, int tick) except -1
    cpdef int exchange(self, Body other) except -1
    cdef int unlike(self, Body other) noexcept
    cdef bint near(self, Body other) noexcept


cdef inline void copy_numbers(Body to, Body source) noexcept:
    # From `alive` to `ramp`, which stand in a row.
    memcpy(&to.alive, &source.alive, <char*>&source.ramp + sizeof(float) - <char*>&source.alive)
