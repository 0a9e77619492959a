import { useEffect } from "preact/hooks";
import type { Jump } from "../data";
import { commandOf, type Controls } from "../keys";
import { useLatest } from "./latest";
import { hears } from "../root";

const PRESSED = "button, a, summary, [data-enter]";
const SCROLLS = /^(Arrow(Up|Down)|Home|End|PageUp|PageDown)$/;

/** Whether an element uses a key itself: a text field, a focused button, a list, a panel that scrolls, or a tab. */
function keepsKey(target: HTMLElement, key: string, clicked: Element | null): boolean {
  const pressed = target.closest(PRESSED);
  if (pressed && pressed !== clicked && (key === " " || key === "Enter")) return true;
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
    // After a click a button has the focus: Space plays then, and does not press it again.
    let clicked: Element | null = null;
    const click = (event: MouseEvent): void => {
      clicked = event.detail ? (event.target as HTMLElement).closest(PRESSED) : null;
    };
    const heard = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      if (isText(target, event.key)) {
        if (event.key === "Escape") target.blur();
        return;
      }
      if (event.key === "Tab") clicked = null;
      const command = keepsKey(target, event.key, clicked) ? null : commandOf(event, jumps);
      if (!command) return;
      if (event.key === " " && target.closest("button")) target.blur();
      command(latest.current);
      event.preventDefault();
    };
    const deaf = [hears({ keydown: heard }), hears({ click }, { capture: true })];
    return () => {
      for (const each of deaf) each();
    };
  }, [jumps, latest]);
}
