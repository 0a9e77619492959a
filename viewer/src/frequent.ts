// Functions that the script calls often: the build writes `Math_max` for `Math.max`, which becomes one letter.
export const { abs: Math_abs, ceil: Math_ceil, floor: Math_floor, hypot: Math_hypot, max: Math_max } = Math;
export const { min: Math_min, PI: Math_PI, round: Math_round } = Math;
export const { isFinite: Number_isFinite, isNaN: Number_isNaN } = Number;
export const { entries: Object_entries, keys: Object_keys } = Object;
