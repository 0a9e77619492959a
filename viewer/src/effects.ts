// What is on the map for a while: shots, hits, kills, smokes, fires, bursts, and timers with the rest of their seconds.
import type { Lens } from "./camera";
import type { Cast } from "./cast";
import type { Effect } from "./data";
import { arc, cross, disc, lines, ring } from "./shapes";
import { timeText } from "./time";

const CLOUDS: Record<string, string> = { smoke: "#9aa6b5", fire: "#ff7a3d" };
/** Of each shot, line and burst, this much of its colour is left at first. */
const STRONG = 0.9;
const TIMER = "#ff5a4d";

/** The effects of a tick; `all` are in the order of their first ticks, none lasts longer than `longest`. */
export function effectsAt(all: Effect[], tick: number, longest: number): Effect[] {
  let low = 0,
    high = all.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (all[middle][1] < tick - longest) low = middle + 1;
    else high = middle;
  }
  const found: Effect[] = [];
  for (let place = low; place < all.length && all[place][1] <= tick; place++)
    if (all[place][2] >= tick) found.push(all[place]);
  return found;
}

export class EffectsLayer {
  #all: Effect[] = [];
  #longest = 0;
  /** Texts and their places: they are drawn over units. */
  readonly texts: [string, number, number][] = [];

  readonly #lens: Lens;
  readonly #cast: Cast;
  readonly #rate: number;

  constructor(lens: Lens, cast: Cast, rate: number) {
    this.#lens = lens;
    this.#cast = cast;
    this.#rate = rate;
  }

  set(all: Effect[]): void {
    this.#all = all;
    this.#longest = all.reduce((most, each) => Math.max(most, each[2] - each[1]), 0);
  }

  draw(pen: CanvasRenderingContext2D, tick: number): void {
    this.texts.length = 0;
    for (const effect of effectsAt(this.#all, tick, this.#longest)) this.#drawOne(pen, effect, tick);
    pen.globalAlpha = 1;
    pen.setLineDash([]);
  }

  #drawOne(pen: CanvasRenderingContext2D, effect: Effect, tick: number): void {
    const [kind, start, end, worldX, worldY, toX, toY, radius, player, team, due] = effect;
    const [x, y] = this.#lens.screen(worldX, worldY);
    const rest = (end - tick) / Math.max(1, end - start),
      colour = this.#cast.colour(player, team, true);
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = kind === "kill" ? 2 : 1.2;
    if (kind in CLOUDS) {
      const size = Math.max(7, radius * this.#lens.camera.zoom);
      pen.fillStyle = CLOUDS[kind];
      pen.globalAlpha = 0.38;
      disc(pen, x, y, size);
      pen.globalAlpha = STRONG;
      arc(pen, x, y, size, rest);
      this.texts.push([((end - tick) / this.#rate).toFixed(1), x, y]);
      return;
    }
    if (kind === "timer") {
      const left = ((due ?? end) - tick) / this.#rate;
      pen.strokeStyle = TIMER;
      pen.lineWidth = 3;
      pen.globalAlpha = 0.3;
      ring(pen, x, y, 13);
      pen.globalAlpha = 1;
      arc(pen, x, y, 13, (left * this.#rate) / Math.max(1, (due ?? end) - start));
      this.texts.push([timeText(left), x, y - 22]);
      return;
    }
    if (kind === "sight") {
      pen.globalAlpha = 0.1;
      disc(pen, x, y, radius * this.#lens.camera.zoom);
      pen.globalAlpha = STRONG;
      ring(pen, x, y, 4);
      return;
    }
    pen.globalAlpha = STRONG * rest;
    if (kind === "flash" || kind === "blast") {
      pen.fillStyle = kind === "flash" ? "#fff6c8" : "#ffab5e";
      disc(pen, x, y, 5 + 14 * (1 - rest));
      return;
    }
    if (toX !== null && toY !== null) {
      pen.setLineDash(kind === "shot" ? [3, 4] : []);
      lines(pen, [x, y, ...this.#lens.screen(toX, toY)]);
      pen.setLineDash([]);
    }
    if (kind === "hit") ring(pen, x, y, 10);
    if (kind === "kill") {
      ring(pen, x, y, 9 + 8 * (1 - rest));
      cross(pen, x, y, 6);
    }
  }
}

/** The cone that somebody at (x, y) sees, paler the farther off. */
export function drawCone(
  pen: CanvasRenderingContext2D,
  x: number,
  y: number,
  turn: number,
  [degrees, far]: [number, number],
  colour: string,
): void {
  const half = (degrees / 360) * Math.PI;
  const paler = pen.createRadialGradient(x, y, 0, x, y, far);
  paler.addColorStop(0, `${colour}66`);
  paler.addColorStop(1, `${colour}00`);
  pen.fillStyle = paler;
  pen.beginPath();
  pen.moveTo(x, y);
  pen.arc(x, y, far, turn - half, turn + half);
  pen.closePath();
  pen.fill();
}
