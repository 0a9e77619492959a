// The keys: their commands, and the list that the sheet of `?` shows.
import type { Jump } from "./data";

/** Everything that a key can do. A sign is 1 for the next one and -1 for the previous one. */
export interface Controls {
  toggle(): void;
  move(seconds: number): void;
  step(ticks: number): void;
  faster(by: number): void;
  seek(share: number): void;
  event(sign: number): void;
  jump(name: string, sign: number): void;
  bookmark(): void;
  toBookmark(sign: number): void;
  follow(): void;
  zoom(factor: number): void;
  fit(): void;
  theme(): void;
  search(): void;
  help(): void;
  escape(): void;
  rangeAt(end: "first" | "last"): void;
  noRange(): void;
  zoomTime(factor: number): void;
}

export type Pressed = Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "altKey" | "metaKey">;
export type Command = (controls: Controls) => void;

function arrow(sign: number): (controls: Controls, pressed: Pressed) => void {
  return (controls, { ctrlKey, shiftKey }) =>
    ctrlKey ? controls.event(sign) : controls.move(sign * (shiftKey ? 30 : 5));
}

/** Commands by key; letters are in lower case. */
const COMMANDS: Record<string, (controls: Controls, pressed: Pressed) => void> = {
  " ": (controls) => controls.toggle(),
  k: (controls) => controls.toggle(),
  ArrowLeft: arrow(-1),
  ArrowRight: arrow(1),
  ArrowUp: (controls) => controls.faster(1),
  ArrowDown: (controls) => controls.faster(-1),
  ",": (controls) => controls.step(-1),
  ".": (controls) => controls.step(1),
  n: (controls) => controls.event(1),
  p: (controls) => controls.event(-1),
  Home: (controls) => controls.seek(0),
  End: (controls) => controls.seek(1),
  m: (controls) => controls.bookmark(),
  "[": (controls) => controls.toBookmark(-1),
  "]": (controls) => controls.toBookmark(1),
  f: (controls) => controls.follow(),
  "+": (controls) => controls.zoom(1.3),
  "=": (controls) => controls.zoom(1.3),
  "-": (controls) => controls.zoom(1 / 1.3),
  r: (controls) => controls.fit(),
  t: (controls) => controls.theme(),
  "/": (controls) => controls.search(),
  "?": (controls) => controls.help(),
  "(": (controls) => controls.rangeAt("first"),
  ")": (controls) => controls.rangeAt("last"),
  "\\": (controls) => controls.noRange(),
  z: (controls, { shiftKey }) => controls.zoomTime(shiftKey ? 2 : 0.5),
  Escape: (controls) => controls.escape(),
};

/** The command of a key; null if it has none. */
export function commandOf(pressed: Pressed, jumps: Jump[]): Command | null {
  if (pressed.altKey || pressed.metaKey || (pressed.ctrlKey && !pressed.key.startsWith("Arrow"))) return null;
  const key = pressed.key.length === 1 ? pressed.key.toLowerCase() : pressed.key;
  const command = COMMANDS[key];
  if (command) return (controls) => command(controls, pressed);
  const jump = jumps.find((each) => each.key === key);
  if (jump) return (controls) => controls.jump(jump.name, pressed.shiftKey ? -1 : 1);
  if (/^[0-9]$/.test(key)) return (controls) => controls.seek(Number(key) / 10);
  return null;
}

/** Keys and their meanings, for a game with these jumps. */
export function keyList(jumps: Jump[]): [string, string][] {
  const letters = jumps.map((each) => each.key.toUpperCase()).join(" ");
  const own: [string, string][] = jumps.length
    ? [[letters, `next ${jumps.map((each) => each.name).join(", ")}; with Shift the previous one`]]
    : [];
  return [
    ["Space, K", "play or stop"],
    ["← →", "5 seconds back or forward; with Shift 30"],
    [", .", "one tick back or forward"],
    ["↑ ↓", "faster, slower"],
    ["N P, Ctrl ← →", "next, previous event"],
    ["0 … 9", "to a tenth of the recording"],
    ["Home End", "to the start, the end"],
    ["M", "set or remove a bookmark"],
    ["[ ]", "previous, next bookmark"],
    ...own,
    ["( )", "the range begins, ends here; also Shift and drag on the timeline"],
    ["\\", "no range"],
    ["Z", "zoom into the timeline; with Shift out of it (also the wheel)"],
    ["F", "follow what is chosen"],
    ["+ −", "zoom"],
    ["R", "the whole map"],
    ["/", "search events"],
    ["T", "dark or light"],
    ["Esc", "choose nothing"],
    ["?", "this list"],
  ];
}
