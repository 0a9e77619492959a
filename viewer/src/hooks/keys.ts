import { useEffect } from "preact/hooks";
import type { Jump } from "../data";
import { commandOf, type Controls } from "../keys";
import { useLatest } from "./latest";

const SCROLLS = /^(Arrow(Up|Down)|Home|End|PageUp|PageDown)$/;

/** Whether an element uses a key itself: a text field, a focused button, a list, a panel that scrolls, or a tab. */
function keepsKey(target: HTMLElement, key: string): boolean {
  if (target.closest("button, a, summary, [data-enter]") && (key === " " || key === "Enter")) return true;
  if (target.closest(".panel, .list, .grid") && SCROLLS.test(key)) return true;
  return target.role === "tab" && /Arrow|Home|End/.test(key);
}

/** Whether keys are text, or choose from a list; a list does not keep the space, which plays. */
function isText(target: HTMLElement, key: string): boolean {
  if (target instanceof HTMLSelectElement) return key !== " ";
  return (
    target.closest("input, textarea") !== null && !(target instanceof HTMLInputElement && target.type === "checkbox")
  );
}

export function useKeys(jumps: Jump[], controls: Controls): void {
  const latest = useLatest(controls);
  useEffect(() => {
    const heard = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      if (isText(target, event.key)) {
        if (event.key === "Escape") target.blur();
        return;
      }
      const command = keepsKey(target, event.key) ? null : commandOf(event, jumps);
      if (!command) return;
      command(latest.current);
      event.preventDefault();
    };
    window.addEventListener("keydown", heard);
    return () => window.removeEventListener("keydown", heard);
  }, [jumps, latest]);
}
