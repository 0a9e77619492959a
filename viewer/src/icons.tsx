// Symbols as SVG: a system may lack fonts with them.
import type { ComponentChild } from "preact";
import { SYMBOLS } from "./lucide/symbols";
import type { Shared } from "./shared";

const PATHS = {
  play: "M4 2l10 6-10 6z",
  pause: "M3 2h4v12H3zM9 2h4v12H9z",
  previous: "M2 2h2.5v12H2zM14 2v12L5.5 8z",
  next: "M11.5 2H14v12h-2.5zM2 2l8.5 6L2 14z",
  back: "M10.5 2L4.5 8l6 6",
  forward: "M5.5 2l6 6-6 6",
  list: "M2 3.5h12M2 8h12M2 12.5h12",
  close: "M3 3l10 10M13 3L3 13",
  up: "M3 10l5-5 5 5",
  down: "M3 6l5 5 5-5",
  plus: "M8 2v12M2 8h12",
  minus: "M2 8h12",
};
const FILLED = ["play", "pause", "previous", "next"];

/** The symbol of a jump; nothing for one without. */
export function Sign({ jump }: { jump: string }) {
  return jump in SYMBOLS ? (
    <svg class="icon symbol" viewBox="0 0 24 24" aria-hidden="true">
      <path d={SYMBOLS[jump]} />
    </svg>
  ) : null;
}

/** The picture of a weapon, or else its name. */
export function pictured({ pictures }: Shared, name: string): ComponentChild {
  return pictures[name] ? <img class="gun" src={pictures[name]} alt={name} title={name} /> : name;
}

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg class={FILLED.includes(name) ? "icon filled" : "icon"} viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
