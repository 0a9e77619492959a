import { useEffect } from "preact/hooks";
import type { Jump } from "../data";
import { commandOf, type Controls } from "../keys";
import { useLatest } from "./latest";

/** Whether an element uses a key itself: a text field, a focused button, a list or a tab. */
function keepsKey(target: HTMLElement, key: string): boolean {
  if (target.closest("button, a") && (key === " " || key === "Enter")) return true;
  if (target.closest(".list, .grid") && /Arrow(Up|Down)|Home|End/.test(key)) return true;
  return target.role === "tab" && /Arrow|Home|End/.test(key);
}

function isText(target: HTMLElement): boolean {
  return target.closest("input, textarea, select") !== null && !(target instanceof HTMLInputElement && target.type === "checkbox");
}

export function useKeys(jumps: Jump[], controls: Controls): void {
  const latest = useLatest(controls);
  useEffect(() => {
    const heard = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      if (isText(target)) {
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
