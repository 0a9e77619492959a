// What a simulation adds to the map: lines of hooks, velocities, held items, shots, frozen players.
import type { Spot } from "./motion";

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
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(endX, endY);
    pen.stroke();
    pen.fillStyle = colour;
    pen.beginPath();
    pen.arc(endX, endY, 3.5, 0, 7);
    pen.fill();
  }
  const [headX, headY] = screen(spot.x + detail.velX * ARROW_TICKS, spot.y + detail.velY * ARROW_TICKS);
  const far = Math.hypot(headX - x, headY - y);
  if (!(far > 10)) return;
  const turn = Math.atan2(headY - y, headX - x);
  pen.strokeStyle = ink;
  pen.lineWidth = 1.5;
  pen.globalAlpha = 0.75;
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(headX, headY);
  for (const side of [-0.4, 0.4]) {
    pen.moveTo(headX, headY);
    pen.lineTo(headX - 6 * Math.cos(turn + side), headY - 6 * Math.sin(turn + side));
  }
  pen.stroke();
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
  pen.beginPath();
  if (spot.detail && !Number.isNaN(spot.detail.toX)) {
    pen.lineWidth = 3;
    pen.moveTo(x, y);
    pen.lineTo(...screen(spot.detail.toX, spot.detail.toY));
    pen.stroke();
  } else {
    pen.arc(x, y, kind === "grenade" ? 4.5 : 3, 0, 7);
    pen.fill();
  }
}
