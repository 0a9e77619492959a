// What a simulation adds to the map: lines of hooks, velocities, held items, shots, frozen players.
import type { Spot } from "./motion";
import { disc, type Line, lines } from "./shapes";

/** Ticks of movement that the arrow of a velocity is long. */
const ARROW_TICKS = 6;
export const FROZEN_COLOUR = "#bfe6ff";
const SHOT_COLOURS: Record<string, string> = {
  gun: "#f2c14e",
  shotgun: "#d98c4a",
  grenade: "#ff6f59",
  laser: "#8fa8ff",
  hammer: "#ffffff",
  ninja: "#ffffff",
};

type Screen = (x: number, y: number) => [number, number];

/** Draws the line and the arrow of a player at (x, y); the player is drawn over both. */
export function drawLines(
  pen: CanvasRenderingContext2D,
  screen: Screen,
  spot: Spot,
  x: number,
  y: number,
  colour: string,
  ink: string,
): void {
  const { detail } = spot;
  if (!detail) return;
  if (!Number.isNaN(detail.toX)) {
    const [endX, endY] = screen(detail.toX, detail.toY);
    pen.strokeStyle = colour;
    pen.lineWidth = 2.5;
    lines(pen, [x, y, endX, endY]);
    pen.fillStyle = colour;
    disc(pen, endX, endY, 3.5);
  }
  const [headX, headY] = screen(spot.x + detail.velX * ARROW_TICKS, spot.y + detail.velY * ARROW_TICKS);
  const far = Math.hypot(headX - x, headY - y);
  if (!(far > 10)) return;
  const turn = Math.atan2(headY - y, headX - x);
  pen.strokeStyle = ink;
  pen.lineWidth = 1.5;
  pen.globalAlpha = 0.75;
  const barb = (side: number): Line => {
    const way = turn + side;
    return [headX, headY, headX - 6 * Math.cos(way), headY - 6 * Math.sin(way)];
  };
  lines(pen, [x, y, headX, headY], barb(-0.4), barb(0.4));
  pen.globalAlpha = 1;
}

/** Draws a shot: a beam as a line, anything else as a dot. */
export function drawShot(
  pen: CanvasRenderingContext2D,
  screen: Screen,
  kind: string,
  spot: Spot,
  x: number,
  y: number,
): void {
  pen.strokeStyle = pen.fillStyle = SHOT_COLOURS[kind] ?? "#ffffff";
  if (spot.detail && !Number.isNaN(spot.detail.toX)) {
    pen.lineWidth = 3;
    lines(pen, [x, y, ...screen(spot.detail.toX, spot.detail.toY)]);
  } else disc(pen, x, y, kind === "grenade" ? 4.5 : 3);
}
