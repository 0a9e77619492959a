// Colours, words and times: one place for how things look.
import type { Clock, Player, Summary } from "./data";

/** Blue and orange first: they stay apart under the common kinds of colour blindness. Sides differ in shape too. */
export const SIDES = ["#378ef0", "#f29423", "#2fb593", "#c969a8", "#d8c32e", "#7f7bea", "#b8683a", "#8ec7e8"];
const NEUTRAL = "#8a8f98";

export class Cast {
  private readonly teams: number[];
  private readonly byNumber = new Map<number, Player>();
  readonly sided: boolean;
  /** Whether player 0 is what is nobody's. */
  private readonly nobody: boolean;

  constructor(private readonly summary: Summary) {
    const found = new Set<number>();
    this.nobody = summary.game === "sc2";
    for (const player of summary.players) {
      if (player.player !== null && !this.byNumber.has(player.player)) this.byNumber.set(player.player, player);
      if (player.team !== null && player.player !== null) found.add(player.team);
    }
    this.teams = [...found].sort((a, b) => a - b);
    this.sided = this.teams.length > 1 && this.teams.length <= SIDES.length;
  }
  player(number: number | null | undefined): Player | undefined {
    return number == null ? undefined : this.byNumber.get(number);
  }
  name(number: number | null | undefined): string {
    const found = this.player(number);
    if (number === 0 && !found && this.nobody) return "nobody";
    return found?.name || (found?.character ?? (number == null ? "" : `player ${number}`));
  }
  /** Place of a side: of the player's team, or of a team. */
  side(player: number | null | undefined, team: number | null | undefined): number {
    const own = this.player(player)?.team ?? team;
    if (this.sided) return own == null ? -1 : this.teams.indexOf(own);
    return player == null ? -1 : [...this.byNumber.keys()].indexOf(player) % SIDES.length;
  }
  colour(player: number | null | undefined, team: number | null | undefined = null): string {
    return SIDES[this.side(player, team)] ?? NEUTRAL;
  }
  /** The sides, or the players where there are few and no sides: what the colours mean. */
  legend(): { label: string; colour: string; square: boolean }[] {
    if (this.sided) {
      return this.teams.map((team, place) => {
        const own = [...this.byNumber.values()].filter((each) => each.team === team);
        const label = own[0].side?.replace(/^./, (first) => first.toUpperCase()) || (own.length === 1 && own[0].name) || `team ${team}`;
        return { label, colour: SIDES[place], square: place % 2 === 1 };
      });
    }
    const all = [...this.byNumber.values()];
    return all.length > 4 ? [] : all.map((each) => ({ label: this.name(each.player), colour: this.colour(each.player), square: false }));
  }
  /** Who won, written as in the legend. */
  get winner(): string {
    const { winner } = this.summary;
    return this.legend().find((each) => each.label.toLowerCase() === winner?.toLowerCase())?.label ?? winner ?? "";
  }
  /** Who played whom, in a line; empty where the recording does not tell. */
  headline(): string {
    const all = [...this.byNumber.values()];
    const named = (players: Player[]): string => players.map((each) => this.name(each.player)).join(", ");
    if (this.sided) {
      const labels = this.legend().map((each) => each.label);
      return this.teams.map((team, place) => {
        const own = all.filter((each) => each.team === team);
        return own.length <= 3 && !own[0].side ? named(own) : labels[place];
      }).join(" vs ");
    }
    return all.length > 4 ? `${all.length} players` : named(all);
  }
  /** One colour for each player, for curves. */
  line(player: number): { colour: string; dash: number[] } {
    if (!this.sided) return { colour: this.colour(player), dash: [] };
    const side = this.side(player, null);
    const mates = [...this.byNumber.values()].filter((each) => this.side(each.player, null) === side);
    const place = mates.findIndex((each) => each.player === player);
    const dashes = [[], [6, 3], [2, 2], [10, 3, 2, 3], [1, 3]];
    return { colour: this.colour(player), dash: dashes[Math.max(0, place) % dashes.length] };
  }
}

export function timeText(seconds: number): string {
  const sign = seconds < -1e-6 ? "-" : "";
  const whole = Math.floor(Math.abs(seconds));
  const parts = [Math.floor(whole / 60) % 60, whole % 60].map((part) => String(part).padStart(2, "0"));
  const hours = Math.floor(whole / 3600);
  return sign + (hours ? `${hours}:${parts[0]}` : String(Number(parts[0]))) + `:${parts[1]}`;
}

/** What the game shows at a tick, or the time since the recording began. */
export function shownTime(tick: number, summary: Summary, clock: Clock | null): string {
  if (!summary.rate_known) return `tick ${Math.floor(tick)}`;
  if (clock?.stretches) {
    let found: [number, number, boolean] | null = null;
    for (const stretch of clock.stretches) if (stretch[0] <= tick) found = stretch;
    if (found) return timeText(found[1] + (found[2] ? (tick - found[0]) / summary.rate : 0)) + (found[2] ? "" : " paused");
    if (clock.stretches.length) return "before";
  }
  return timeText(tick / summary.rate);
}

/** Seconds between two labels of an axis of time. */
export const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400];

/** The ticks from 0 to `last` that are labelled: those at which the clock that is shown has a multiple of so many seconds. */
export function labelled(last: number, apart: number, summary: Summary, clock: Clock | null): number[] {
  const stretches: Clock["stretches"] = clock?.stretches?.length ? clock.stretches : [[0, 0, true]];
  const found: number[] = [];
  stretches?.forEach(([tick, shown, runs], place) => {
    const end = stretches[place + 1]?.[0] ?? last + 1;
    for (let seconds = Math.ceil(shown / apart - 1e-6) * apart; runs; seconds += apart) {
      const at = tick + (seconds - shown) * summary.rate;
      if (at >= end || at > last) break;
      if (at >= 0) found.push(at);
    }
  });
  return found;
}

export function words(name: string): string {
  return name.replace(/^npc_dota_(hero_)?|^item_|^CDOTA_(Unit_|BaseNPC_|Item_)?(Hero_)?|^CNPC_|^C(?=[A-Z])|^Item (?=\S)/, "").replace(/_/g, " ").replace(/(?<=[a-z])(?=[A-Z])/g, " ");
}

const KINDS: Record<string, string> = {
  unit_died: "unit lost", unit_init: "production begun", unit_born: "unit made", leave: "leaves", net_kill: "kill", net_say: "chat", net_emoticon: "emoticon",
  net_call_vote: "vote called", player_team: "team changed", player_name: "name", drop: "leaves", join: "joins", player_swap: "swap",
};
/** A kind of event in the words of those who play; the tables have its own name. */
export function kindText(kind: string): string {
  return KINDS[kind] ?? kind.replace(/_/g, " ");
}

export function valueText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : String(Math.round(value * 1000) / 1000);
  if (Array.isArray(value) && value.every((each) => typeof each !== "object")) return value.map(valueText).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
