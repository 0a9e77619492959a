// Times as the game shows them, and the labels of axes of time.
import type { Clock, Summary } from "./data";

type Timing = Pick<Summary, "rate" | "rate_known">;

export function timeText(seconds: number): string {
  const sign = seconds < -1e-6 ? "-" : "";
  const whole = Math.floor(Math.abs(seconds) + 1e-4); // quotients of ticks are a little less than the whole second
  const parts = [Math.floor(whole / 60) % 60, whole % 60].map((part) => String(part).padStart(2, "0"));
  const hours = Math.floor(whole / 3600);
  return sign + (hours ? `${hours}:${parts[0]}` : String(Number(parts[0]))) + `:${parts[1]}`;
}

/** The time that the game shows at a tick, or else the time since the recording began. */
export function shownTime(tick: number, summary: Timing, clock: Clock | null): string {
  if (!summary.rate_known) return `tick ${Math.floor(tick)}`;
  const shown = clock?.countdowns.findLast((each) => each[0] <= tick);
  if (shown) {
    const [, name, ends, held] = shown;
    return ends === null ? name : `${name} ${timeText(held ?? Math.max(0, (ends - tick) / summary.rate))}`;
  }
  if (clock?.stretches) {
    let found: [number, number, boolean] | null = null;
    for (const stretch of clock.stretches) if (stretch[0] <= tick) found = stretch;
    if (found)
      return timeText(found[1] + (found[2] ? (tick - found[0]) / summary.rate : 0)) + (found[2] ? "" : " paused");
    if (clock.stretches.length) return `before ${timeText(clock.stretches[0][1])}`;
  }
  return timeText(tick / summary.rate);
}

/** The stretches of the game's clock, or of the recording's time. */
function stretchesOf(clock: Clock | null): [number, number, boolean][] {
  return clock?.stretches?.length ? clock.stretches : [[0, 0, true]];
}

/** Seconds between two labels of an axis of time. */
export const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400];

/** The ticks from `first` to `last` at which the shown clock has a multiple of `apart` seconds. */
export function labelled(first: number, last: number, apart: number, summary: Timing, clock: Clock | null): number[] {
  const stretches = stretchesOf(clock),
    found: number[] = [];
  stretches.forEach(([tick, shown, runs], place) => {
    const end = stretches[place + 1]?.[0] ?? last + 1;
    for (let seconds = Math.ceil(shown / apart - 1e-6) * apart; runs; seconds += apart) {
      const at = tick + (seconds - shown) * summary.rate;
      if (at >= end || at > last) break;
      if (at >= first) found.push(at);
    }
  });
  return found;
}

/** Seconds on the game's clock at a tick, or else since the recording began. */
export function clockSeconds(tick: number, { rate }: Timing, clock: Clock | null): number {
  const stretches = stretchesOf(clock),
    [from, shown, runs] = stretches.findLast((each) => each[0] <= tick) ?? stretches[0];
  return shown + (runs ? (tick - from) / rate : 0);
}

/** The first tick at which the clock shows these seconds, or the last one before. */
export function tickOf(seconds: number, { rate }: Timing, clock: Clock | null): number {
  const stretches = stretchesOf(clock);
  for (const [place, [from, shown, runs]] of stretches.entries()) {
    const tick = from + (seconds - shown) * rate;
    if (runs && tick >= from && tick < (stretches[place + 1]?.[0] ?? Infinity)) return tick;
  }
  const [from, shown] = stretches[0];
  return seconds < shown ? from + (seconds - shown) * rate : stretches[stretches.length - 1][0];
}
