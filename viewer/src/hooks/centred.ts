// A row of buttons that scrolls: the chosen one is in sight.
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** Scrolls a row, and not the page, to its button at a place whenever that changes. */
export function useCentred(place: number): RefObject<HTMLDivElement> {
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = row.current,
      child = box?.querySelectorAll("button")[place];
    if (!box || !child) return;
    const around = box.getBoundingClientRect(),
      own = child.getBoundingClientRect();
    box.scrollLeft += own.left - around.left - (around.width - own.width) / 2;
  }, [place]);
  return row;
}
