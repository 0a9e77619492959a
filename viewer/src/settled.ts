// What is under way, told in the document (data-busy, data-drawn): whoever drives the page waits for it, and not by the clock.
let under = 0;

function tell(by: number): void {
  under += by;
  document.documentElement.dataset.busy = String(under);
}

/** Calls back when what was set so far has been drawn, with the effects of that. */
function painted(then: () => void): void {
  requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(() => then())));
}

/** Counts something as under way until its end is called, and what that led to is drawn. */
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

/** The tick that map and timeline show; null while the map waits for it. */
export function drawn(tick: number | null): void {
  const text = tick === null ? "" : String(tick);
  if (document.documentElement.dataset.drawn !== text) document.documentElement.dataset.drawn = text;
}

/** What a user does is under way, too, until the page has answered. */
export function watchInput(): void {
  tell(0);
  for (const kind of ["click", "pointerdown", "keydown", "input", "change", "scroll", "wheel", "resize"]) {
    window.addEventListener(kind, () => begun()(), { capture: true, passive: true });
  }
}
