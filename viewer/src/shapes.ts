// Shapes that are drawn in several places, in the stroke of the pen.

export function ring(pen: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 7);
  pen.stroke();
}

/** Two strokes from corner to corner of a square. */
export function cross(pen: CanvasRenderingContext2D, x: number, y: number, half: number): void {
  pen.beginPath();
  pen.moveTo(x - half, y - half);
  pen.lineTo(x + half, y + half);
  pen.moveTo(x + half, y - half);
  pen.lineTo(x - half, y + half);
  pen.stroke();
}
