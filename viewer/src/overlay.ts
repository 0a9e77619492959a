// Rounds laid over each other: which ones are chosen, and how the map shows them at one time since their starts.
import type { Lens } from "./camera";
import type { Cast } from "./cast";
import { cross } from "./shapes";

/** A player of a round: places at each step from `start` on. */
interface Track {
  player: number;
  name: string | null;
  side: string | null;
  start: number;
  x: (number | null)[];
  y: (number | null)[];
}
export interface Round {
  number: number;
  /** The tick at which play began. */
  tick: number;
  seconds: number;
  winner: string | null;
  sides: Record<string, { team: string; buy: string | null }>;
  /** The time of the first step. */
  first: number;
  tracks: Track[];
  /** Seconds, place, side and name of who died. */
  deaths: [number, number | null, number | null, string | null, string | null][];
}
/** The rounds of a recording; `left` is the number of those that its answer leaves out. */
export interface Laid {
  map: string | null;
  step: number;
  rounds: Round[];
  left: number;
}

/** Rounds that are shown at once. */
export const MOST = 60;
/** Seconds of the line behind a player. */
const TRAIL = 3;

/** The chosen rounds: those in which any team, or this one, played as any side, or this one, with this economy and end. */
export interface Choice {
  team: string;
  side: string;
  buy: string;
  end: string;
  /** Only the players of the side that fits are shown. */
  alone: boolean;
  /** Other recordings. */
  beside: number[];
  /** Rounds that the user left out, as `recording-number`. */
  off: string[];
  at: number;
}

export function choiceOf(text: string): Choice {
  const query = new URLSearchParams(text);
  const word = (name: string): string => query.get(name) ?? "";
  const words = (name: string): string[] => word(name).split(".").filter(Boolean);
  return {
    team: word("team"),
    side: word("side"),
    buy: word("buy"),
    end: word("end"),
    alone: query.has("alone"),
    beside: [...new Set(words("beside").map(Number).filter(Number.isInteger))],
    off: words("off"),
    at: Math.max(0, Number(word("at")) || 0),
  };
}

/** What the overlay shows at first: the players of one side, at the time of the usual first contact. */
export function firstChoice({ rounds }: Laid): Choice {
  const [first] = rounds
    .flatMap(({ sides }) => Object.keys(sides))
    .sort()
    .reverse();
  const contacts = rounds.flatMap(({ deaths }) => (deaths.length ? [deaths[0][0]] : [])).sort((a, b) => a - b);
  const at = Math.max(0, (contacts[contacts.length >> 1] ?? 0) - 1);
  return { ...choiceOf(""), side: first ?? "", alone: true, at };
}

export function textOf(choice: Choice): string {
  const query = new URLSearchParams();
  const { team, side, buy, end, alone, beside, off, at } = choice;
  const all = { team, side, buy, end, alone: alone ? "1" : "", beside: beside.join("."), off: off.join(".") };
  for (const [name, value] of Object.entries(all)) if (value) query.set(name, value);
  if (at) query.set("at", at.toFixed(2));
  return query.toString();
}

/** The sides of a round that fit a choice. */
export function fitting(round: Round, { team, side, buy, end }: Choice): string[] {
  return Object.entries(round.sides)
    .filter(
      ([name, own]) =>
        (!team || own.team === team) &&
        (!side || name === side) &&
        (!buy || own.buy === buy) &&
        (!end || (end === "won") === (round.winner === name)),
    )
    .map(([name]) => name);
}

export interface Chosen {
  match: number;
  key: string;
  round: Round;
  step: number;
  sides: string[];
}

/** The rounds that fit, of the recordings in their order. */
export function chosenOf(held: [number, Laid][], choice: Choice): Chosen[] {
  return held.flatMap(([match, { rounds, step }]) =>
    rounds
      .map((round) => {
        return { match, key: `${match}-${round.number}`, round, step, sides: fitting(round, choice) };
      })
      .filter(({ sides }) => sides.length),
  );
}

/** The place of a player at a time of the round; null where the player has none. */
export function placeAt(
  { start, x, y }: Track,
  { first }: Round,
  step: number,
  seconds: number,
): [number, number] | null {
  const at = Math.max(0, (seconds - first) / step - start),
    before = Math.floor(at);
  const [x0, y0] = [x[before], y[before]];
  if (x0 == null || y0 == null) return null;
  const share = at - before;
  return [x0 + ((x[before + 1] ?? x0) - x0) * share, y0 + ((y[before + 1] ?? y0) - y0) * share];
}

/** Draws chosen rounds over the ground of the map. */
export class OverlayLayer {
  seconds = 0;
  version = 0;
  #rounds: Chosen[] = [];
  #alone = false;

  readonly #cast: Cast;
  readonly #teams: Map<string | null, number | null>;

  constructor(
    cast: Cast,
    /** The numbers of the sides by their words. */
    teams: Map<string | null, number | null>,
  ) {
    this.#cast = cast;
    this.#teams = teams;
  }

  get key(): string {
    return `${this.version}|${this.seconds}`;
  }
  set(rounds: Chosen[], alone: boolean): void {
    this.#rounds = rounds;
    this.#alone = alone;
    this.version++;
  }

  /** Returns the number of the players that are shown. */
  draw(pen: CanvasRenderingContext2D, lens: Lens): number {
    const { seconds } = this,
      alone = this.#alone;
    let count = 0;
    for (const { round, step, sides } of this.#rounds) {
      const shown = (side: string | null): boolean => !alone || (side !== null && sides.includes(side));
      pen.lineWidth = 1.6;
      for (const [at, x, y, side] of round.deaths) {
        if (at > seconds || x === null || y === null || !shown(side)) continue;
        const [left, top] = lens.screen(x, y);
        pen.globalAlpha = 0.75;
        pen.strokeStyle = this.#colour(side);
        cross(pen, left, top, 4);
      }
      if (seconds > round.seconds) continue;
      for (const track of round.tracks) {
        const place = shown(track.side) ? placeAt(track, round, step, seconds) : null;
        if (!place) continue;
        count++;
        const [left, top] = lens.screen(...place);
        pen.strokeStyle = pen.fillStyle = this.#colour(track.side);
        pen.globalAlpha = 0.45;
        pen.beginPath();
        pen.moveTo(left, top);
        for (let back = step; back <= TRAIL && back <= seconds; back += step) {
          const before = placeAt(track, round, step, seconds - back);
          if (before) pen.lineTo(...lens.screen(...before));
        }
        pen.stroke();
        pen.globalAlpha = 0.9;
        pen.beginPath();
        if (this.#square(track.side)) pen.rect(left - 4, top - 4, 8, 8);
        else pen.arc(left, top, 4.5, 0, 7);
        pen.fill();
      }
    }
    pen.globalAlpha = 1;
    return count;
  }
  #colour(side: string | null): string {
    return this.#cast.colour(null, this.#teams.get(side), true);
  }
  #square(side: string | null): boolean {
    return this.#cast.side(null, this.#teams.get(side), true) % 2 === 1;
  }
}
