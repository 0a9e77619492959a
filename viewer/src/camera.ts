// The part of the world that the map shows.
export interface Camera {
  x: number;
  y: number;
  zoom: number;
}
export type Screen = (x: number, y: number) => [number, number];

/** Height of the buttons over the map. */
const BUTTONS = 42;

/** Turns places of the world into pixels of the canvas, and back. */
export class Lens {
  camera: Camera = { x: 0, y: 0, zoom: 1 };
  /** Size of the canvas, measured once for each drawing: each measurement costs a layout. */
  width = 0;
  height = 0;
  /** Pixels of it that the buttons at the top and the legend at the bottom cover. */
  covered: [number, number] = [0, 0];

  readonly #canvas: HTMLCanvasElement;

  constructor(
    canvas: HTMLCanvasElement,
    readonly yIsDown: boolean,
  ) {
    this.#canvas = canvas;
  }

  measure(): void {
    this.width = this.#canvas.clientWidth;
    this.height = this.#canvas.clientHeight;
    const legend = this.#canvas.parentElement?.querySelector<HTMLElement>(".legend")?.offsetHeight ?? 0;
    this.covered = this.height > 260 ? [BUTTONS, legend + 4] : [0, 0];
  }
  readonly screen: Screen = (x, y) => {
    const { camera } = this;
    const dy = (y - camera.y) * camera.zoom;
    return [this.width / 2 + (x - camera.x) * camera.zoom, this.height / 2 + (this.yIsDown ? dy : -dy)];
  };
  world(x: number, y: number): [number, number] {
    const { camera } = this;
    const dy = (y - this.height / 2) / camera.zoom;
    return [camera.x + (x - this.width / 2) / camera.zoom, camera.y + (this.yIsDown ? dy : -dy)];
  }
  zoomBy(factor: number, atX = this.width / 2, atY = this.height / 2): void {
    const [x, y] = this.world(atX, atY);
    this.camera.zoom = Math.max(1e-4, Math.min(400, this.camera.zoom * factor));
    const [newX, newY] = this.world(atX, atY);
    this.camera.x += x - newX;
    this.camera.y += y - newY;
  }
  pan(dx: number, dy: number): void {
    this.camera.x -= dx / this.camera.zoom;
    this.camera.y -= (this.yIsDown ? dy : -dy) / this.camera.zoom;
  }
  /** Whether a place is on the canvas, or at most so many pixels outside. */
  shows(x: number, y: number, margin: number): boolean {
    return x >= -margin && y >= -margin && x <= this.width + margin && y <= this.height + margin;
  }
}
