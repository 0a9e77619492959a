// Mouse, fingers and wheel on the map.
import { hears } from "./root";

export interface Gestures {
  zoomBy: (factor: number, x: number, y: number) => void;
  pan: (dx: number, dy: number) => void;
  /** A click that was no drag. */
  click: (x: number, y: number) => void;
  /** A pointer that is not pressed is here; null when it leaves. */
  hover: (place: [number, number] | null) => void;
  /** Whether a drag draws, and does not move the map. */
  draws: () => boolean;
  draw: (step: "begin" | "move" | "end", x: number, y: number) => void;
}

/** Pixels that a pointer may travel in a click. */
const CLICK = 4;

export function listen(canvas: HTMLCanvasElement, gestures: Gestures): void {
  const pointers = new Map<number, { x: number; y: number }>();
  let travelled = 0,
    drawing = false;
  hears(
    {
      wheel: (event) => {
        event.preventDefault();
        gestures.zoomBy(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), event.offsetX, event.offsetY);
      },
      pointerdown: (event) => {
        canvas.setPointerCapture(event.pointerId);
        pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
        travelled = 0;
        drawing = gestures.draws() && pointers.size === 1;
        if (drawing) gestures.draw("begin", event.offsetX, event.offsetY);
        gestures.hover(null);
      },
      pointermove: (event) => {
        const before = pointers.get(event.pointerId);
        if (!before) {
          if (event.pointerType === "mouse") gestures.hover([event.offsetX, event.offsetY]);
          return;
        }
        if (drawing) {
          gestures.draw("move", event.offsetX, event.offsetY);
          return;
        }
        const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
        if (other) {
          const [was, is] = [before, { x: event.offsetX, y: event.offsetY }].map((each) =>
            Math.hypot(each.x - other.x, each.y - other.y),
          );
          if (was > 0) gestures.zoomBy(is / was, (event.offsetX + other.x) / 2, (event.offsetY + other.y) / 2);
        }
        const [dx, dy] = [event.offsetX - before.x, event.offsetY - before.y];
        travelled += Math.abs(dx) + Math.abs(dy);
        if (!other && travelled > CLICK) gestures.pan(dx, dy);
        pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
      },
      pointerup: (event) => {
        pointers.delete(event.pointerId);
        if (drawing) gestures.draw("end", event.offsetX, event.offsetY);
        else if (travelled <= CLICK) gestures.click(event.offsetX, event.offsetY);
      },
      pointerleave: () => gestures.hover(null),
      pointercancel: (event) => {
        pointers.delete(event.pointerId);
        drawing = false;
      },
    },
    { passive: false },
    canvas,
  );
}
