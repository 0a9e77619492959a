// The source of the page's data: the server, or the report that contains the page.
import { compared } from "./order";
import { during } from "./settled";

export type One = number | string | null;
/** A line of the kill feed: killer and victim as numbers of players or names of units, the weapon, the owner of the victim, and the teams of
 *  both if players change sides. */
export type Kill = [One, One, string | null, number | null, number | null, number | null];

export interface Mark {
  tick: number;
  kind: string;
  player: number | null;
  team: number | null;
  text: string;
  kill?: Kill | null;
}
export interface Player {
  player: number | null;
  name: string | null;
  clan: string | null;
  kind: string | null;
  team: number | null;
  side: string | null;
  result: string | null;
  character: string | null;
  /** Recorded by the game; null for that of the side. */
  colour: string | null;
}
export interface TableInfo {
  name: string;
  doc: string;
  columns: string[];
}
export interface CurveInfo {
  name: string;
  label: string;
  first: string;
}
export interface MarkStyle {
  shape: "outline" | "block" | "disc";
  size: number;
  colour: string | null;
}
export interface Jump {
  name: string;
  key: string;
}
/** How a game is shown: `playhead.presentation` says what each field means. */
export interface Presentation {
  sides: [number, string][];
  nobody: number | null;
  feed: { words: Record<string, string>; jumps: Jump[]; sides_change: boolean };
  map: {
    y_is_down: boolean;
    length: [string, number];
    mark_styles: Record<string, MarkStyle>;
    mark_radius: number;
    unit_radius: number;
    fade_seconds: number | null;
    camera: [number, number];
    /** Degrees that a player sees, and how far they are drawn. */
    cone: [number, number];
    inactive_units: boolean;
    layers: string[];
    legend: [string, string][];
    tile: number | null;
  };
  stage: {
    colours: [number, string][];
    score_label: string;
    totals: string[];
    facts: string[];
  };
  wording: {
    prefixes: string;
    hidden_names: string;
    fact_names: Record<string, string>;
    fact_values: Record<string, Record<string, string>>;
    hidden_facts: string[];
  };
}
export interface Summary {
  name: string;
  format: string;
  game: string;
  title: string;
  map: string | null;
  complete: boolean;
  winner: string | null;
  started: string | null;
  ended: string | null;
  first_tick: number;
  last_tick: number;
  rate: number;
  rate_known: boolean;
  step: number;
  stretch: number;
  presentation: Presentation;
  capabilities: string[];
  has_map: boolean;
  jump_distance: number;
  sight_teams: [number, number];
  players: Player[];
  notable: string[];
  kinds: Record<string, string>;
  tables: TableInfo[];
  curves: CurveInfo[];
  /** Name of the panel of what players made or bought; null if the recording has none. */
  builds: string | null;
  /** Names of the game's panels of notes. */
  notes: string[];
}
/** Lines of a panel of the game: moment, kind, words, player, team, place. */
export type Note = [
  tick: number | null,
  kind: string,
  text: string,
  player: number | null,
  team: number | null,
  x: number | null,
  y: number | null,
];
export interface Clock {
  label: string | null;
  stretches: [number, number, boolean][] | null;
  /** Tick, name, tick of 0:00 (null without a time), and the seconds of a pause, of a clock that counts down again and again. */
  countdowns: [number, string, number | null, number | null][];
}
export interface Ground {
  marks: [kind: string, x: number, y: number, team: number | null, label: string][];
  tiles: [number, number, number][];
  bounds: [number, number, number, number] | null;
  picture: {
    url: string;
    bounds: [number, number, number, number] | null;
    smooth: boolean;
    source: string;
    drawn: boolean;
    /** Colours of the picture and their meanings. */
    legend: [string, string][];
  } | null;
  picture_error: string | null;
  /** First and last ticks of stretches in which the map shows something less certain. */
  doubts: [number, number][];
  /** Addresses of pictures of characters and weapons in an installed game. */
  pictures: Record<string, string>;
}
/** The moment to open on. */
export interface Opening {
  tick: number;
  label: string;
}
export interface Chapter {
  tick: number;
  end: number | null;
  name: string;
  team: number | null;
  note: string;
  counts: boolean;
  /** The tick at which play begins, after a freeze time. */
  opens: number | null;
}
/** Values of two teams over time. */
export interface Lead {
  label: string;
  teams: [number, number];
  tick: number[];
  values: [number[], number[]];
}
export interface Builds {
  label: string;
  /** Lines of each player: `supply` before the first of some equal things, `more` follows the name. */
  players: { player: number; tick: number[]; name: string[]; supply: (number | null)[]; more: string[] }[];
  total: number;
}
/** Recorded probabilities that a team wins. */
export interface WinChance {
  team: number;
  tick: number[];
  value: number[];
}
/** What players are at for a while, in order: production, upgrades, runs; those with a band are on the timeline. */
export interface Tasks {
  tick: number[];
  end: number[];
  player: number[];
  name: string[];
  bands: string[];
}
/** `problems` is their number in the whole recording. */
export interface Story {
  chapters: Chapter[];
  /** Tick, team and its score from then on. */
  scores: [number, number, number][];
  /** Each best time until then: tick, time, and whose it is. */
  best: [tick: number, time: string, names: string][];
  /** Tick of a death, player, and seconds until the player is back. */
  respawns: [number, number, number][];
  /** Tick, victim and killer of the deaths that cards count, where moments have no kills. */
  deaths: [number, number | null, number | null][];
  lead: Lead | null;
  win_chance: WinChance | null;
  tasks: Tasks | null;
  builds: Builds | null;
  problems: number;
  /** Who speaks; a report has no voices. */
  speakers?: string[];
}
/** What decided the match, each line by its rule, and a table of the players. */
export interface Decided {
  lines: { tick: number; rule: string; text: string; team: number | null }[];
  columns: string[];
  rows: unknown[][];
}
/** Something that is on the map for a while, as `playhead.presentation.map.Effect`: kind, first and last tick, place,
 *  other end of its line, radius, player, team, and when a timer would be over. */
export type Effect = [
  kind: string,
  tick: number,
  end: number,
  x: number,
  y: number,
  toX: number | null,
  toY: number | null,
  radius: number,
  player: number | null,
  team: number | null,
  due: number | null,
];
export interface Heat {
  cell: number;
  cells: [number, number, number][];
}
export interface Path {
  player: number;
  tick: number[];
  x: number[];
  y: number[];
}
export interface Events {
  columns: {
    tick: number[];
    kind: string[];
    player: (number | null)[];
    team: (number | null)[];
    text: string[];
    x: (number | null)[];
    y: (number | null)[];
    kill: (Kill | null)[];
  };
  /** Of a kind in `every`, each nth event is included; `counts` has the number of all events by kind, `hidden` of those
   *  that are bookkeeping of the game. */
  every: Record<string, number>;
  counts: Record<string, number>;
  kinds: string[];
  hidden: number;
}
export interface Moment {
  tick: number;
  displayed: string | null;
  facts: Record<string, unknown>;
  players: Record<string, unknown>[];
  resources: Record<string, Record<string, unknown>>;
  units: Record<string, unknown>[];
}
export interface Curve {
  label: string;
  lines: { player: number; tick: number[]; value: number[] }[];
  /** Sums by team, as `player`; `lines` is empty if only sides have values. */
  sides: { player: number; tick: number[]; value: number[] }[];
}
/** A report has the first `kept` of the `whole` rows of a table. */
export interface Rows {
  columns: string[];
  types: string[];
  rows: unknown[][];
  total: number;
  offset?: number;
  kept?: number;
  whole?: number;
}
export interface Problem {
  where: string;
  offset: number | null;
  tick: number | null;
  what: string;
  cost: string;
  kind: string;
}
export interface Thing {
  tick: number;
  id: string;
  fields: Record<string, unknown>;
}
export interface History {
  field: string;
  start: number;
  end: number;
  changes: { tick: number; value: unknown; why: Why | null }[];
}
/** The message that changed a field, and its packet. */
export interface Why {
  did: string;
  message: string;
  place: number | null;
  count: number;
  size: number | null;
  packet: string;
  tick: number;
  frame: number;
  offset: number;
}
/** A recording of the server; `about` follows when its head is read: map, players and result as texts. */
export interface Entry {
  id: number;
  name: string;
  folder: string;
  size: number | null;
  about?: {
    title: string;
    map: string | null;
    players: string[];
    winner: string | null;
    seconds: number | null;
    started: string | null;
    error: string | null;
  } | null;
}

type Query = Record<string, string | number>;

export interface Source {
  readonly live: boolean;
  files(): Promise<Entry[]>;
  /** Opens a file of the user; returns its number. */
  add(file: File): Promise<number>;
  get<T>(match: number, what: string, query?: Query): Promise<T>;
  state(match: number, stretch: number, signal?: AbortSignal): Promise<Uint8Array>;
  link(match: number, what: string, query: Query): string;
}

function path(match: number, what: string, query: Query = {}): string {
  const text = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();
  return `m/${match}/${what}${text ? `?${text}` : ""}`;
}

class Server implements Source {
  readonly live = true;
  async files(): Promise<Entry[]> {
    return (await fetch("files")).json();
  }
  async add(file: File): Promise<number> {
    const answer = await fetch(`open?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file });
    const found = await answer.json();
    if (!answer.ok) throw new Error(found.error ?? answer.statusText);
    return found.id;
  }
  async get<T>(match: number, what: string, query: Query = {}): Promise<T> {
    const answer = await fetch(path(match, what, query));
    const found = await answer.json();
    if (!answer.ok) throw new Error(found.error ?? answer.statusText);
    return found;
  }
  async state(match: number, stretch: number, signal?: AbortSignal): Promise<Uint8Array> {
    const answer = await fetch(path(match, "state", { stretch }), { signal });
    if (!answer.ok) throw new Error((await answer.json()).error ?? answer.statusText);
    return new Uint8Array(await answer.arrayBuffer());
  }
  link(match: number, what: string, query: Query): string {
    return path(match, what, query);
  }
}

interface Packed {
  answers: Record<string, unknown>;
  moments: Moment[];
  tables: Record<string, Rows>;
}

function bytesOf(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let place = 0; place < binary.length; place++) bytes[place] = binary.charCodeAt(place);
  return bytes;
}

class Report implements Source {
  readonly live = false;
  readonly #packed: Packed;
  readonly #held: Uint8Array;

  constructor(packed: Packed, held: Uint8Array) {
    this.#packed = packed;
    this.#held = held;
  }
  async files(): Promise<Entry[]> {
    return [{ id: 0, name: "", folder: "", size: null }];
  }
  async add(): Promise<number> {
    throw new Error("a report holds one match");
  }
  async get<T>(_match: number, what: string, query: Query = {}): Promise<T> {
    if (what === "moment") {
      const found = this.#packed.moments.filter((each) => each.tick <= Number(query.tick)).pop();
      return (found ?? this.#packed.moments[0]) as T;
    }
    if (what === "curve") return this.#packed.answers[`curve:${query.name}`] as T;
    if (what === "table") return this.#page(query) as T;
    if (what === "events") {
      const all = this.#packed.answers.events as Events;
      const asked = new Set(String(query.kinds).split(","));
      const keep = all.columns.kind.map((kind) => asked.has(kind.replace(/\/.*/, "")));
      const columns = Object.fromEntries(
        Object.entries(all.columns).map(([name, values]) => [
          name,
          (values as unknown[]).filter((_, place) => keep[place]),
        ]),
      );
      return { ...all, columns } as T;
    }
    if (what in this.#packed.answers) return this.#packed.answers[what] as T;
    throw new Error("a report does not hold this");
  }
  #page(query: Query): Rows {
    const held = this.#packed.tables[String(query.name)];
    if (!held) throw new Error("this table is not in the report");
    let rows = held.rows;
    const search = String(query.search ?? "").toLowerCase();
    if (search)
      rows = rows.filter((row) =>
        row.some((value) =>
          String(value ?? "")
            .toLowerCase()
            .includes(search),
        ),
      );
    const ticks = held.columns.indexOf("tick");
    if (query.from !== undefined && ticks >= 0)
      rows = rows.filter((row) => Number(row[ticks]) >= Number(query.from) && Number(row[ticks]) <= Number(query.to));
    const column = held.columns.indexOf(String(query.sort ?? ""));
    if (column >= 0) {
      const sign = query.descending ? -1 : 1;
      rows = [...rows].sort((a, b) => compared(a[column], b[column], sign, sign));
    }
    const offset = Number(query.offset ?? 0);
    return {
      ...held,
      kept: held.rows.length,
      rows: rows.slice(offset, offset + 200),
      total: search || query.from !== undefined ? rows.length : held.total,
      offset,
    };
  }
  async state(): Promise<Uint8Array> {
    return this.#held;
  }
  link(): string {
    return "";
  }
}

/** A source whose requests count as work in progress until they are answered. */
function counted(source: Source): Source {
  return {
    live: source.live,
    files: () => during(source.files()),
    add: (file) => during(source.add(file)),
    get: <T>(match: number, what: string, query?: Query) => during(source.get<T>(match, what, query)),
    state: (match, stretch, signal) => during(source.state(match, stretch, signal)),
    link: (match, what, query) => source.link(match, what, query),
  };
}

export async function openSource(): Promise<Source> {
  const held = document.getElementById("match");
  if (!held) return counted(new Server());
  const stream = new Blob([bytesOf((held.textContent ?? "").trim()) as BlobPart])
    .stream()
    .pipeThrough(new DecompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const size = new DataView(bytes.buffer).getUint32(0, true); // as in `write_report`: the length of the JSON, the JSON, the moving things
  return counted(
    new Report(JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + size))), bytes.subarray(4 + size)),
  );
}
