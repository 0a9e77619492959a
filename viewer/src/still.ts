// A drawing below what moves.

/** Pixels of a canvas for each pixel of the page. */
export function pixelRatio(): number {
  return Math.min(2, window.devicePixelRatio || 1);
}

/** A drawing that a canvas keeps, so that only what moves over it is drawn again. */
export class Still {
  readonly #kept = document.createElement("canvas");
  #ratio = 1;

  readonly #canvas: HTMLCanvasElement;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
  }

  /** Sets the size of the canvas, in pixels of the page, and keeps what `draw` draws. */
  draw(width: number, height: number, draw: (pen: CanvasRenderingContext2D) => void): void {
    const canvas = this.#canvas,
      kept = this.#kept;
    this.#ratio = pixelRatio();
    canvas.width = kept.width = Math.round(width * this.#ratio);
    canvas.height = kept.height = Math.round(height * this.#ratio);
    const pen = kept.getContext("2d");
    if (!pen) return;
    pen.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
    draw(pen);
  }
  /** Shows the drawing; returns the pen for what is over it, null if the canvas has no size. */
  show(): CanvasRenderingContext2D | null {
    const canvas = this.#canvas,
      kept = this.#kept,
      pen = canvas.getContext("2d");
    if (!pen || !canvas.width || !canvas.height) return null;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(kept, 0, 0);
    pen.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
    return pen;
  }
}
