// Names, kinds of events and facts in the words of players, as the game declares them.
import type { Presentation } from "./data";

/** What there is of some texts, in a line. */
export function joined(texts: unknown[]): string {
  return texts.filter(Boolean).join(" · ").replace(/· →/g, "→");
}

/** A whole number with commas. */
export function rounded(value: number): string {
  return Math.round(value).toLocaleString("en");
}

export function valueText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number")
    return Number.isInteger(value) ? String(value) : String(Math.round(value * 1000) / 1000);
  if (Array.isArray(value) && value.every((each) => typeof each !== "object")) return value.map(valueText).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Facts that are dollars. */
export const MONEY = ["money", "equipment_value"];

/** Facts about players that the panel shows in another way than as name and value. */
const SHOWN_OTHERWISE = [
  "player",
  "name",
  "kind",
  "result",
  "team",
  "side",
  "character",
  "x",
  "y",
  "alive",
  "health",
  "max_health",
  "items",
  "clan",
  "tick",
];

/** Names of numbers for programs: identifiers, times, angles. */
const FOR_PROGRAMS =
  /^(z|pitch|yaw|roll|tick|seconds|game_seconds|lifestate)$|_(ids?|ticks?|times?|pitch|yaw|start|end|seconds)$/;

function startOf(pattern: string): RegExp | null {
  return pattern ? new RegExp(`^(?:${pattern})`) : null;
}

export class Words {
  readonly #prefixes: RegExp | null;
  readonly #hidden: RegExp | null;
  readonly #hiddenFacts: Set<string>;

  readonly #presentation: Presentation;

  constructor(presentation: Presentation) {
    this.#presentation = presentation;
    const { prefixes, hidden_names, hidden_facts } = presentation.wording;
    this.#prefixes = startOf(prefixes);
    this.#hidden = startOf(hidden_names);
    this.#hiddenFacts = new Set([...SHOWN_OTHERWISE, ...hidden_facts]);
  }
  /** The name of a hero, unit, item or class without its prefix and in several words. */
  name(name: string): string {
    const bare = this.#prefixes ? name.replace(this.#prefixes, "") : name;
    return bare.replace(/_/g, " ").replace(/(?<=[a-z])(?<!Mc)(?=[A-Z])/g, " ");
  }
  /** Whether a name is only bookkeeping of the game. */
  hides(name: unknown): boolean {
    return this.#hidden?.test(String(name)) ?? false;
  }
  kind(kind: string): string {
    return this.#presentation.feed.words[kind] ?? kind.replace(/.*\//, "").replace(/_/g, " ");
  }
  /** Whether a fact about a player is left out: it is shown otherwise, or it is a number for programs. */
  hidesFact(name: string): boolean {
    return this.#hiddenFacts.has(name) || FOR_PROGRAMS.test(name);
  }
  factName(name: string): string {
    return this.#presentation.wording.fact_names[name] ?? name.replace(/_/g, " ");
  }
  /** A value as text; of a list, the first `most` values. */
  factValue(name: string, value: unknown, most = Infinity): string {
    const word = this.#presentation.wording.fact_values[name]?.[String(value)];
    if (word !== undefined) return word;
    if (typeof value === "number")
      return (MONEY.includes(name) ? "$" : "") + value.toLocaleString("en", { maximumFractionDigits: 3 });
    if (!Array.isArray(value)) return valueText(value);
    const shown = value
      .filter((each) => !this.hides(each))
      .map((each) => (typeof each === "string" ? this.name(each) : each));
    return valueText(shown.slice(0, most)) + (shown.length > most ? ` and ${shown.length - most} more` : "");
  }
}
