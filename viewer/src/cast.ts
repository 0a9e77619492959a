// The players of a recording: names, sides and colours.
import type { Player, Summary } from "./data";

/** Blue and orange come first: people with the common kinds of colour blindness can tell them apart. Sides differ in shape too. */
export const SIDES = ["#378ef0", "#f29423", "#2fb593", "#c969a8", "#d8c32e", "#7f7bea", "#b8683a", "#8ec7e8"];
const NEUTRAL = "#8a8f98";
/** The grounds of the two themes on which a colour must stand out, also as text, and its least contrast. */
const GROUNDS = { dark: "#1e242e", light: "#e8ebf0" },
  CONTRAST = 4.6,
  /** Of shapes on light ground: yellow with the contrast of a text is brown. The style darkens texts there. */
  LIGHT = 2.2;

function parts(hex: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
}
/** The luminance of a colour, from 0 to 1, as WCAG defines it. */
function luminance(hex: string): number {
  const [red, green, blue] = parts(hex).map((part) =>
    part <= 10 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
/** The contrast of two colours, from 1 to 21. */
export function contrast(one: string, two: string): number {
  const [low, high] = [luminance(one), luminance(two)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}
/** A colour that is lighter or darker if it would not stand out on the ground of a theme. */
export function readable(colour: string, dark: boolean, least = CONTRAST): string {
  let found = colour;
  for (let share = 0; share <= 1 && contrast(found, dark ? GROUNDS.dark : GROUNDS.light) < least; share += 0.03) {
    const mixed = parts(colour).map((part) => Math.round(part + ((dark ? 255 : 0) - part) * share));
    found = `#${mixed.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
  }
  return found;
}

export class Cast {
  readonly #teams: number[];
  readonly #byNumber = new Map<number, Player>();
  readonly sided: boolean;
  /** Whether players change sides: an event's team is then that of its player. */
  readonly #changes: boolean;
  /** Number of the player to which neutral things belong. */
  readonly #nobody: number | null;
  /** Declared names of teams, in the order of their colours. */
  readonly #names: Map<number, string>;
  /** The game's own colours of teams. */
  readonly #own: Map<number, string>;
  readonly #made = new Map<string, string>();
  #dark = true;
  #safe = false;

  readonly #summary: Summary;

  constructor(summary: Summary) {
    this.#summary = summary;
    const found = new Set<number>();
    this.#nobody = summary.presentation.nobody;
    this.#names = new Map(summary.presentation.sides);
    this.#own = new Map(summary.presentation.stage.colours);
    this.#changes = summary.presentation.feed.sides_change;
    for (const player of summary.players) {
      const same = player.player === null ? undefined : this.#byNumber.get(player.player);
      // Two players share one army in an archon game.
      if (same?.name && player.name && same.name !== player.name)
        this.#byNumber.set(same.player as number, { ...same, name: `${same.name} & ${player.name}` });
      else if (player.player !== null && !same) this.#byNumber.set(player.player, player);
      if (player.team !== null && player.player !== null) found.add(player.team);
    }
    const declared = [...this.#names.keys()].filter((team) => found.has(team));
    this.#teams = [...declared, ...[...found].filter((team) => !this.#names.has(team)).sort((a, b) => a - b)];
    this.sided = this.#teams.length > 1 && this.#teams.length <= SIDES.length;
  }
  player(number: number | null | undefined): Player | undefined {
    return number == null ? undefined : this.#byNumber.get(number);
  }
  name(number: number | null | undefined): string {
    const found = this.player(number);
    if (number != null && number === this.#nobody && !found) return "nobody";
    return found?.name || (found?.character ?? (number == null ? "" : `player ${number}`));
  }
  /** Place of a side in the order of colours: of the player's team, or of a team; -1 if there is none. With `now`, the team
   *  comes first: in some games players change sides. */
  side(player: number | null | undefined, team: number | null | undefined, now = false): number {
    const known = this.player(player)?.team;
    const own = (now || this.#changes) && team != null && this.#teams.includes(team) ? team : (known ?? team);
    if (this.sided) return own == null ? -1 : this.#teams.indexOf(own);
    return player == null ? -1 : [...this.#byNumber.keys()].indexOf(player) % SIDES.length;
  }
  colour(player: number | null | undefined, team: number | null | undefined = null, now = false): string {
    const side = this.side(player, team, now),
      key = `${player}|${side}`;
    const known = this.#made.get(key);
    if (known) return known;
    const [first] = this.sided ? this.mates(this.#teams[side]) : [];
    const own = this.#own.get(this.#teams[side]) ?? this.player(player)?.colour ?? (side < 0 ? null : first?.colour);
    const found = readable((!this.#safe && own) || (SIDES[side] ?? NEUTRAL), this.#dark, this.#dark ? CONTRAST : LIGHT);
    this.#made.set(key, found);
    return found;
  }
  /** A colour as a text on the map. */
  text(colour: string): string {
    return readable(colour, this.#dark);
  }
  /** Chooses the colours for a theme: those of the game, or safe ones. */
  look(dark: boolean, safe: boolean): void {
    if (dark !== this.#dark || safe !== this.#safe) this.#made.clear();
    this.#dark = dark;
    this.#safe = safe;
  }
  /** The teams, in the order of their colours. */
  get sides(): number[] {
    return this.sided ? this.#teams : [];
  }
  mates(team: number): Player[] {
    return this.#playing.filter((each) => each.team === team);
  }
  /** The name of a side, or of its first player and the number of the others. */
  teamName(team: number): string {
    const own = [...this.#byNumber.values()].filter((each) => each.team === team);
    const side = this.#names.get(team) ?? own[0]?.side?.replace(/^./, (first) => first.toUpperCase());
    return (
      side ||
      (own.length && `${this.name(own[0].player)}${own.length > 1 ? ` +${own.length - 1}` : ""}`) ||
      `team ${team}`
    );
  }
  get #playing(): Player[] {
    return [...this.#byNumber.values()].filter((each) => each.kind !== "observer");
  }
  /** The meanings of the colours: the sides, or a few players without sides. */
  legend(): { label: string; colour: string; square: boolean }[] {
    if (this.sided) {
      return this.#teams.map((team, place) => {
        return { label: this.teamName(team), colour: this.colour(null, team), square: place % 2 === 1 };
      });
    }
    const all = this.#playing;
    return all.length > 4
      ? []
      : all.map((each) => ({ label: this.name(each.player), colour: this.colour(each.player), square: false }));
  }
  /** The winner, written as in the legend. */
  get winner(): string {
    const { winner } = this.#summary;
    return this.legend().find((each) => each.label.toLowerCase() === winner?.toLowerCase())?.label ?? winner ?? "";
  }
  /** The opponents in a line; empty if unknown. */
  headline(): string {
    const all = this.#playing;
    const named = (players: Player[]): string => players.map((each) => this.name(each.player)).join(", ");
    if (this.sided) {
      return this.#teams
        .map((team) => {
          const own = all.filter((each) => each.team === team);
          return own.length <= 3 && !own[0].side ? named(own) : this.teamName(team);
        })
        .join(" vs ");
    }
    return all.length > 4 ? `${all.length} players` : named(all);
  }
  /** Label and colour of the players of a side, who may change sides: they have their clan, or their first player and the
   *  number of the others, and no side's colour then. */
  party(team: number): { label: string; colour: string } {
    if (!this.#changes) return { label: this.teamName(team), colour: this.colour(null, team) };
    const own = this.mates(team),
      [first] = own;
    const label = first?.clan || `${this.name(first?.player)} +${own.length - 1}`;
    return { label, colour: readable(SIDES[2 + Math.max(0, this.#teams.indexOf(team))] ?? NEUTRAL, this.#dark) };
  }
  /** One colour for each player, for curves. */
  line(player: number): { colour: string; dash: number[] } {
    if (!this.sided) return { colour: this.colour(player), dash: [] };
    const side = this.side(player, null);
    const mates = [...this.#byNumber.values()].filter((each) => this.side(each.player, null) === side);
    const place = mates.findIndex((each) => each.player === player);
    const dashes = [[], [6, 3], [2, 2], [10, 3, 2, 3], [1, 3]];
    return { colour: this.colour(player), dash: dashes[Math.max(0, place) % dashes.length] };
  }
}
