// Things that move: stretches of rows from the server, and the place of each thing at any tick, between samples too.
import type { Source, Summary } from "./data";

export interface ThingInfo {
  id: string;
  kind: string;
  name?: string | null;
  player: number | null;
  role: string;
}
export const ALIVE = 2,
  FIRE = 4,
  HOOK = 8,
  FROZEN = 128,
  NO_FACING = 9;
/** Bits of the two sight teams, if they see something. */
export const SEEN_BY_FIRST = 32,
  SEEN_BY_SECOND = 64;
const SEEN = SEEN_BY_FIRST | SEEN_BY_SECOND;
const KEPT = 16;
/** Least milliseconds between requests while the playhead is dragged, and before the first retry of a failed request. */
const APART = 100,
  RETRY = 1000;

interface Failure {
  text: string;
  times: number;
  until: number;
}

/** What a simulation tells of a row: the end of a line, the velocity in units a tick (NaN for none), the held item. */
export interface Detail {
  toX: number;
  toY: number;
  velX: number;
  velY: number;
  item: string | null;
}

export class Track {
  tick: number[] = [];
  x: number[] = [];
  y: number[] = [];
  facing: number[] = [];
  health: number[] = [];
  state: number[] = [];
  seen: number[] = [];
  /** -1 for none: players may change sides. */
  team: number[] = [];
  detail: Detail[] = [];
  constructor(readonly info: ThingInfo) {}

  /** The team of a row; null for none. */
  teamAt(row: number): number | null {
    const found = this.team[row] ?? -1;
    return found < 0 ? null : found;
  }
  /** The last row at or before a tick; -1 before the first. */
  before(tick: number): number {
    let low = 0,
      high = this.tick.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.tick[middle] <= tick) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

export interface Stretch {
  number: number;
  start: number;
  end: number;
  step: number;
  tracks: Track[];
  byId: Map<string, Track>;
}
export interface Spot {
  x: number;
  y: number;
  facing: number;
  health: number;
  state: number;
  age: number;
  team: number | null;
  detail: Detail | null;
}

interface Head {
  start: number;
  end: number;
  step: number;
  rows: number;
  things: ThingInfo[];
  items?: string[];
}

/** Reads the bytes of `Rows.to_bytes`: the length of the head, the head as JSON, and the columns, one after another. */
export function decode(number: number, bytes: Uint8Array): Stretch {
  const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const { start, end, step, rows, things, items }: Head = JSON.parse(
    new TextDecoder().decode(bytes.subarray(4, 4 + size)),
  );
  const columns = bytes.slice(4 + size).buffer;
  const [tick, thing, age] = [0, 1, 2].map((place) => new Int32Array(columns, place * 4 * rows, rows));
  const floats = (places: number[]): Float32Array[] =>
    places.map((place) => new Float32Array(columns, place * 4 * rows, rows));
  const [x, y, facing, health] = floats([3, 4, 5, 6]),
    [toX, toY, velX, velY] = floats(items ? [7, 8, 9, 10] : []);
  const state = new Uint8Array(columns, (items ? 44 : 28) * rows, rows),
    team = new Int8Array(columns, (items ? 45 : 29) * rows, rows),
    item = new Int8Array(columns, items ? 46 * rows : 0, items ? rows : 0);
  const tracks = things.map((info) => new Track(info));
  for (let row = 0; row < rows; row++) {
    const track = tracks[thing[row]];
    if (items)
      track.detail.push({
        toX: toX[row],
        toY: toY[row],
        velX: velX[row],
        velY: velY[row],
        item: items[item[row]] ?? null,
      });
    track.tick.push(tick[row]);
    track.x.push(x[row]);
    track.y.push(y[row]);
    track.facing.push(facing[row]);
    track.health.push(health[row]);
    track.state.push(state[row]);
    track.seen.push(tick[row] - age[row]);
    track.team.push(team[row]);
  }
  return { number, tracks, byId: new Map(tracks.map((track) => [track.info.id, track])), start, end, step };
}

export class Motion {
  readonly #stretches = new Map<number, Stretch>();
  readonly #asked = new Map<number, AbortController>();
  readonly #failed = new Map<number, Failure>();
  #current = 0;
  #dragged = 0;
  readonly first: number;
  readonly last: number;
  onLoad: () => void = () => {};
  /** Whether the recording has the sight of teams. */
  tellsSight = false;
  /** Whether it has lines, velocities and items. */
  tellsDetails = false;

  /** `now` returns milliseconds. */
  readonly #source: Source;
  readonly #match: number;
  readonly #summary: Pick<Summary, "first_tick" | "last_tick" | "stretch" | "jump_distance">;
  readonly #now: () => number;

  constructor(
    source: Source,
    match: number,
    summary: Pick<Summary, "first_tick" | "last_tick" | "stretch" | "jump_distance">,
    now: () => number = () => performance.now(),
  ) {
    this.#source = source;
    this.#match = match;
    this.#summary = summary;
    this.#now = now;
    this.first = source.live ? Math.floor(summary.first_tick / summary.stretch) : 0;
    this.last = source.live ? Math.floor(summary.last_tick / summary.stretch) : 0;
  }

  /** Why the present stretch is not there; the request is repeated, at longer and longer intervals. */
  get error(): string | null {
    const failure = this.#failed.get(this.#current);
    return failure ? `${failure.text} (asking again)` : null;
  }

  /** Whether the last request for the present stretch failed. */
  get failing(): boolean {
    return this.#failed.has(this.#current);
  }

  /** Whether the present stretch is loaded and has nothing in it, as in replays of StarCraft II without tracker events. */
  get isEmpty(): boolean {
    return this.#stretches.get(this.#current)?.tracks.length === 0;
  }

  /** Whether the present stretch has only screens and orders of players. */
  get onlyAttention(): boolean {
    const tracks = this.#stretches.get(this.#current)?.tracks ?? [];
    return tracks.length > 0 && tracks.every(({ info: { role } }) => role === "camera" || role === "order");
  }

  numberOf(tick: number): number {
    return this.#source.live ? Math.max(this.first, Math.min(this.last, Math.floor(tick / this.#summary.stretch))) : 0;
  }

  /** The stretch of a tick if it is loaded; requests it, or else its neighbours. */
  at(tick: number, ahead = 1): Stretch | null {
    const number = this.numberOf(tick);
    this.#current = number;
    const wanted = [number];
    for (let more = 1; more <= ahead; more++) wanted.push(number + more);
    wanted.push(number - 1);
    for (const each of this.#asked.keys()) {
      if (!wanted.includes(each)) {
        this.#asked.get(each)?.abort();
        this.#asked.delete(each);
        this.#dragged = this.#now() + APART;
      }
    }
    if (!this.#stretches.has(number)) {
      if (this.#now() >= this.#dragged) this.#ask(number);
    } else for (const each of wanted) if (this.#asked.size < 2) this.#ask(each);
    return this.#stretches.get(number) ?? null;
  }

  previous(stretch: Stretch): Stretch | null {
    return this.#stretches.get(stretch.number - 1) ?? null;
  }

  #ask(number: number): void {
    if (number < this.first || number > this.last || this.#stretches.has(number) || this.#asked.has(number)) return;
    if (this.#now() < (this.#failed.get(number)?.until ?? 0)) return;
    const abort = new AbortController();
    this.#asked.set(number, abort);
    this.#source.state(this.#match, number, abort.signal).then(
      (bytes) => {
        const stretch = decode(number, bytes);
        this.#stretches.set(number, stretch);
        this.tellsDetails ||= stretch.tracks.some((track) => track.detail.length > 0);
        this.tellsSight ||= stretch.tracks.some((track) => track.state.some((state) => state & SEEN));
        if (this.#stretches.size > KEPT) this.#stretches.delete(this.#stretches.keys().next().value as number);
        this.#asked.delete(number);
        this.#failed.delete(number);
        this.onLoad();
      },
      (error) => {
        if (this.#asked.get(number) === abort) this.#asked.delete(number);
        if (error.name === "AbortError") return;
        const times = (this.#failed.get(number)?.times ?? 0) + 1;
        this.#failed.set(number, {
          text: String(error.message ?? error),
          times,
          until: this.#now() + Math.min(60, 2 ** (times - 1)) * RETRY,
        });
        this.onLoad();
      },
    );
  }

  /** The place and state of a thing at a tick; null if it is gone. */
  spot(stretch: Stretch, track: Track, tick: number): Spot | null {
    const row = track.before(tick);
    if (row < 0 || Number.isNaN(track.x[row])) return null;
    let x = track.x[row],
      y = track.y[row],
      facing = track.facing[row];
    const next = row + 1;
    if (next < track.tick.length && !Number.isNaN(track.x[next])) {
      const begins = Math.max(track.tick[row], track.tick[next] - stretch.step);
      const share = (tick - begins) / (track.tick[next] - begins);
      const dx = track.x[next] - x,
        dy = track.y[next] - y;
      if (share > 0 && dx * dx + dy * dy < this.#summary.jump_distance ** 2) {
        x += dx * share;
        y += dy * share;
        const turn = track.facing[next] - facing;
        if (facing !== NO_FACING && track.facing[next] !== NO_FACING)
          facing += share * Math.atan2(Math.sin(turn), Math.cos(turn));
      }
    }
    return {
      x,
      y,
      facing,
      health: track.health[row],
      state: track.state[row],
      age: tick - track.seen[row],
      team: track.teamAt(row),
      detail: track.detail[row] ?? null,
    };
  }
}
