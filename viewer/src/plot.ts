// Lines over time on a canvas, with the playhead.
import type { Range } from "./address";
import { Still } from "./still";

export interface Line {
  label: string;
  colour: string;
  dash: number[];
  faint: boolean;
  tick: number[];
  value: number[];
}
export interface Look {
  ink: string;
  dim: string;
  grid: string;
}
const LEFT = 62,
  RIGHT = 10,
  TOP = 8,
  BOTTOM = 22,
  LABELS = 6;

/** A round number, 1, 2 or 5 with zeros, that is at least this large. */
export function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= least * (1 - 1e-9)) ?? least;
}

/** Round numbers, about `LABELS`, that begin at or below the least value and end at or above the largest. */
export function axis(low: number, high: number): number[] {
  const step = roundStep((high - low || 1) / LABELS);
  const first = Math.floor(low / step + 1e-9),
    last = Math.max(first + 1, Math.ceil(high / step - 1e-9));
  return Array.from({ length: last - first + 1 }, (_, place) => Number(((first + place) * step).toPrecision(12)));
}

/** The value of a line at a tick: the last one recorded before; null before the first. */
export function valueAt({ tick, value }: Pick<Line, "tick" | "value">, now: number): number | null {
  return value[tick.findLastIndex((each) => each <= now)] ?? null;
}

export class Plot {
  /** Everything but the playhead. */
  readonly #still: Still;
  #wide = 0;
  readonly #high: number;

  readonly #canvas: HTMLCanvasElement;
  readonly #lines: Line[];
  readonly #part: Range;
  readonly #times: (apart: number) => [number, string][];
  readonly #look: Look;

  constructor(
    canvas: HTMLCanvasElement,
    lines: Line[],
    part: Range,
    times: (apart: number) => [number, string][],
    look: Look,
  ) {
    this.#canvas = canvas;
    this.#lines = lines;
    this.#part = part;
    this.#times = times;
    this.#look = look;
    this.#high = canvas.clientHeight;
    this.#still = new Still(canvas);
  }
  get #width(): number {
    return Math.max(1, this.#wide - LEFT - RIGHT);
  }
  #x(tick: number): number {
    return LEFT + ((tick - this.#part[0]) / Math.max(1, this.#part[1] - this.#part[0])) * this.#width;
  }
  tickAt(x: number): number {
    return (
      this.#part[0] + (Math.max(0, Math.min(this.#width, x - LEFT)) / this.#width) * (this.#part[1] - this.#part[0])
    );
  }

  draw(tick: number): void {
    const canvas = this.#canvas,
      still = this.#still;
    if (canvas.clientWidth !== this.#wide) {
      this.#wide = canvas.clientWidth;
      still.draw(this.#wide, this.#high, (pen) => this.#drawStill(pen));
    }
    const pen = still.show();
    if (!pen) return;
    pen.fillStyle = this.#look.ink;
    if (tick >= this.#part[0] && tick <= this.#part[1])
      pen.fillRect(this.#x(tick) - 1, TOP, 2, this.#high - TOP - BOTTOM);
  }

  #drawStill(pen: CanvasRenderingContext2D): void {
    const look = this.#look,
      bottom = this.#high - BOTTOM;
    const shown = this.#lines.flatMap(({ tick, value }) =>
      value.filter((_, place) => tick[place] >= this.#part[0] && tick[place] <= this.#part[1]),
    );
    const labels = axis(
      shown.reduce((low, each) => Math.min(low, each), 0),
      shown.reduce((high, each) => Math.max(high, each), 0),
    );
    const low = labels[0],
      high = labels[labels.length - 1];
    const y = (value: number): number => bottom - ((value - low) / (high - low)) * (bottom - TOP);
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    for (const label of labels) {
      pen.fillStyle = look.grid;
      pen.fillRect(LEFT, y(label), this.#width, 1);
      pen.fillStyle = look.dim;
      pen.fillText(label.toLocaleString("en"), LEFT - 6, y(label));
    }
    pen.textAlign = "center";
    for (const [tick, label] of this.#times((70 / this.#width) * (this.#part[1] - this.#part[0]))) {
      pen.fillStyle = look.grid;
      pen.fillRect(this.#x(tick), TOP, 1, bottom - TOP);
      pen.fillStyle = look.dim;
      pen.fillText(label, this.#x(tick), bottom + 12);
    }
    pen.beginPath();
    pen.rect(LEFT, 0, this.#width, this.#high);
    pen.clip();
    pen.lineWidth = 2;
    pen.lineJoin = "round";
    for (const { tick, value, colour, dash, faint } of this.#lines) {
      pen.globalAlpha = faint ? 0.25 : 1;
      pen.strokeStyle = pen.fillStyle = colour;
      pen.setLineDash(dash);
      pen.beginPath();
      tick.forEach((each, place) => {
        pen.lineTo(this.#x(each), y(value[place]));
      });
      pen.stroke();
      if (tick.length < 3)
        tick.forEach((each, place) => {
          pen.fillRect(this.#x(each) - 2, y(value[place]) - 2, 4, 4);
        });
    }
  }
}
