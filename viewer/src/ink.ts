// Drawing and notes on the map, in units of the recording, as the link keeps them.
import type { Lens } from "./camera";
import { disc } from "./shapes";

/** A line, or a place with a note. */
export interface Ink {
  points: [number, number][];
  note: string;
}
/** Pixels between two kept points of a line, and limits of the link. */
const APART = 6;
const MOST = 200,
  LONGEST = 80;
const COLOUR = "#ff4fa3";

/** Writes ink as text: points apart by spaces, a note after a colon, one line after another. */
export function inkText(ink: Ink[]): string {
  return ink
    .map(({ points, note }) => {
      const places = points.map((point) => point.map((each) => Math.round(each)).join(",")).join(" ");
      return note ? `${places}:${note.replace(/[;:]/g, " ")}` : places;
    })
    .join(";");
}
/** Reads what `inkText` wrote; what does not fit is left out. */
export function inkOf(text: string): Ink[] {
  const found: Ink[] = [];
  for (const part of text.split(";").slice(0, MOST)) {
    const [places, note = ""] = part.split(":");
    const points = places
      .split(" ")
      .slice(0, MOST)
      .map((each) => each.split(",").map(Number) as [number, number])
      .filter((point) => point.length === 2 && point.every(Number.isFinite));
    if (points.length > 1 || (points.length && note)) found.push({ points, note: note.slice(0, LONGEST) });
  }
  return found;
}

export class InkLayer {
  ink: Ink[] = [];
  #open: [number, number][] = [];
  #last = [0, 0];

  readonly #lens: Lens;

  constructor(lens: Lens) {
    this.#lens = lens;
  }

  begin(x: number, y: number): void {
    this.#open = [this.#lens.world(x, y)];
    this.#last = [x, y];
  }
  move(x: number, y: number): void {
    if (Math.hypot(x - this.#last[0], y - this.#last[1]) < APART || this.#open.length >= MOST) return;
    this.#open.push(this.#lens.world(x, y));
    this.#last = [x, y];
  }
  /** Ends a line; returns it, or the place of a note if it did not go anywhere. */
  end(): Ink | null {
    const points = this.#open;
    this.#open = [];
    return points.length ? { points, note: "" } : null;
  }

  draw(pen: CanvasRenderingContext2D, text: (text: string, x: number, y: number) => void): void {
    pen.lineJoin = pen.lineCap = "round";
    for (const { points, note } of [...this.ink, { points: this.#open, note: "" }]) {
      const places = points.map(([x, y]) => this.#lens.screen(x, y));
      pen.strokeStyle = pen.fillStyle = COLOUR;
      pen.lineWidth = 3;
      if (!note) {
        pen.beginPath();
        for (const [x, y] of places) pen.lineTo(x, y);
        pen.stroke();
      } else {
        disc(pen, ...places[0], 4);
        text(note, places[0][0], places[0][1] - 13);
      }
    }
    pen.lineCap = "butt";
  }
}
