// Texts on the map, each where it covers no thing and no other text.
import type { Lens } from "./camera";
import { lines } from "./shapes";

const FONT = "600 11px system-ui, 'Noto Sans', 'Noto Sans CJK SC', 'Noto Color Emoji', sans-serif";
/** Left, top, right and foot. */
export type Box = [number, number, number, number];
type Spot = [x: number, y: number];

/** Places for a name, in pixels from its owner: below and above, and beside; those farther off have a line to it. */
const BELOW = [17, -19],
  FAR = [30, -32, 44, -46, 58, -60];
const BESIDE = 14,
  NEAR = 24;

export class Labels {
  #taken: Box[] = [];
  readonly #widths = new Map<string, number>();

  readonly #lens: Lens;
  readonly #colours: () => { ink: string; paper: string };

  constructor(lens: Lens, colours: () => { ink: string; paper: string }) {
    this.#lens = lens;
    this.#colours = colours;
  }

  /** Forgets the texts, and keeps them off these boxes. */
  begin(pen: CanvasRenderingContext2D, taken: Box[]): void {
    this.#taken = taken;
    pen.font = FONT;
  }
  #width(pen: CanvasRenderingContext2D, text: string): number {
    const known = this.#widths.get(text) ?? pen.measureText(text).width;
    this.#widths.set(text, known);
    return known;
  }
  /** Writes a text in the middle of the first of these places that is free; a `chosen` one stands at the first in any case.
   *  A text without a free place, or under the buttons or the legend, is left out. */
  place(
    pen: CanvasRenderingContext2D,
    text: string,
    spots: Spot[],
    chosen: boolean,
    colour?: string,
    owner?: Spot,
  ): void {
    const half = this.#width(pen, text) / 2 + 1,
      { covered, height, width } = this.#lens,
      [high, low] = covered;
    const free = ([x, y]: Spot): boolean =>
      y - 6 >= high &&
      y + 6 <= height - low &&
      !this.#taken.some(
        ([left, top, right, foot]) => left < x + half && right > x - half && top < y + 6 && foot > y - 6,
      );
    // A name at an edge is moved until all of it is seen.
    const seen = spots.map(([x, y]): Spot => [Math.max(half, Math.min(width - half, x)), y]);
    const spot = seen.find(free) ?? (chosen ? seen[0] : null);
    if (!spot) return;
    this.#taken.push([spot[0] - half, spot[1] - 6, spot[0] + half, spot[1] + 6]);
    if (owner && Math.abs(spot[1] - owner[1]) > NEAR) {
      const foot = spot[1] + (spot[1] > owner[1] ? -7 : 7);
      pen.strokeStyle = colour ?? this.#colours().ink;
      pen.lineWidth = 1;
      lines(pen, [...owner, spot[0], foot]);
    }
    this.write(pen, text, ...spot, colour);
  }
  /** Writes the name of a thing at (x, y). */
  name(pen: CanvasRenderingContext2D, text: string, x: number, y: number, chosen: boolean, colour?: string): void {
    const aside = this.#width(pen, text) / 2 + BESIDE;
    const far = FAR.flatMap((below): Spot[] => [0, aside, -aside].map((by) => [x + by, y + below]));
    const spots: Spot[] = [...BELOW.map((below): Spot => [x, y + below]), [x + aside, y], [x - aside, y], ...far];
    this.place(pen, text, spots, chosen, colour, [x, y]);
  }
  /** Writes a name at a corner of a frame, outside of it; the last corners come first with `turned`. */
  corner(
    pen: CanvasRenderingContext2D,
    text: string,
    [left, top, right, foot]: Box,
    turned: boolean,
    colour: string,
  ): void {
    const half = this.#width(pen, text) / 2;
    const spots = [top - 9, foot + 9].flatMap((y): Spot[] => [
      [left + half, y],
      [right - half, y],
    ]);
    this.place(pen, text, turned ? spots.reverse() : spots, false, colour);
  }
  write(pen: CanvasRenderingContext2D, text: string, x: number, y: number, colour?: string): void {
    const { ink, paper } = this.#colours();
    pen.font = FONT;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    pen.strokeStyle = paper;
    pen.lineWidth = 3;
    pen.strokeText(text, x, y);
    pen.fillStyle = colour ?? ink;
    pen.fillText(text, x, y);
  }
}
