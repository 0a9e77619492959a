// Shapes that are drawn in several places, in the stroke of the pen.
import { SYMBOLS } from "./lucide/symbols";

export function ring(pen: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 7);
  pen.stroke();
}

export function disc(pen: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 7);
  pen.fill();
}

/** A share of a ring, from its top. */
export function arc(pen: CanvasRenderingContext2D, x: number, y: number, radius: number, share: number): void {
  pen.beginPath();
  pen.arc(x, y, radius, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * share);
  pen.stroke();
}

export type Line = [fromX: number, fromY: number, toX: number, toY: number];

export function lines(pen: CanvasRenderingContext2D, ...all: Line[]): void {
  pen.beginPath();
  for (const [fromX, fromY, toX, toY] of all) {
    pen.moveTo(fromX, fromY);
    pen.lineTo(toX, toY);
  }
  pen.stroke();
}

/** Two strokes from corner to corner of a square. */
export function cross(pen: CanvasRenderingContext2D, x: number, y: number, half: number): void {
  lines(pen, [x - half, y - half, x + half, y + half], [x + half, y - half, x - half, y + half]);
}

/** Pixels of a symbol, which its paths have 24 of. */
const SIDE = 13;

/** Draws the symbol of a jump, or else the nth shape: a cross, a diamond, a triangle, a square; filled, in a frame. */
export function drawSymbol(pen: CanvasRenderingContext2D, jump: string, kind: number, x: number, y: number): void {
  const path = SYMBOLS[jump];
  if (path) {
    pen.save();
    pen.translate(x - SIDE / 2, y - SIDE / 2);
    pen.scale(SIDE / 24, SIDE / 24);
    pen.lineJoin = pen.lineCap = "round";
    const shape = new Path2D(path);
    for (const [width, colour] of [
      [7, pen.strokeStyle],
      [2.6, pen.fillStyle],
    ] as const) {
      pen.lineWidth = width;
      pen.strokeStyle = colour;
      pen.stroke(shape);
    }
    pen.restore();
    return;
  }
  const points = [
    [-4, -3, -3, -4, 0, -1, 3, -4, 4, -3, 1, 0, 4, 3, 3, 4, 0, 1, -3, 4, -4, 3, -1, 0],
    [0, -5, 4.5, 0, 0, 5, -4.5, 0],
    [0, -4.5, 4.5, 3.5, -4.5, 3.5],
    [-3.5, -3.5, 3.5, -3.5, 3.5, 3.5, -3.5, 3.5],
  ][kind % 4];
  pen.beginPath();
  for (let at = 0; at < points.length; at += 2) pen.lineTo(x + points[at], y + points[at + 1]);
  pen.closePath();
  pen.stroke();
  pen.fill();
}
