// The work in progress, as attributes of the document (data-busy, data-drawn). A program that drives the page waits for them instead of a time.
import { attributes } from "./root";
let under = 0;

function tell(by: number): void {
  under += by;
  attributes().busy = String(under);
}

/** Calls back after the page has drawn the present state and run its effects. */
function painted(then: () => void): void {
  requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(() => then())));
}

/** Counts work as in progress until the returned function is called and its result is drawn. */
export function begun(): () => void {
  let open = true;
  tell(1);
  return () => {
    if (open) painted(() => tell(-1));
    open = false;
  };
}

export function during<T>(work: Promise<T>): Promise<T> {
  const end = begun();
  work.then(end, end);
  return work;
}

/** Records the tick that map and timeline show; null while the map waits for it. */
export function drawn(tick: number | null): void {
  const text = tick === null ? "" : String(tick);
  if (attributes().drawn !== text) attributes().drawn = text;
}

/** Counts each input of the user as in progress until the page has drawn its effect. */
export function watchInput(): void {
  tell(0);
  for (const kind of ["click", "pointerdown", "keydown", "input", "change", "scroll", "wheel", "resize"]) {
    window.addEventListener(kind, () => begun()(), { capture: true, passive: true });
  }
}
