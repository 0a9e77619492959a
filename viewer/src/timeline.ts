// The timeline: a slider, a lane of marks for each kind of event, which side led, bookmarks, a chosen range, and the playhead.
import type { Range } from "./address";
import type { Chapter, Clock, Lead, Mark, Summary, WinChance } from "./data";
import type { Cast } from "./cast";
import type { Playback } from "./playback";
import { disc, drawSymbol } from "./shapes";
import { Still } from "./still";
import { labelled, STEPS } from "./time";
import type { Words } from "./words";
import { colours, hears } from "./root";

/** What the timeline shows besides the playhead. */
export interface Lanes {
  marks: Mark[];
  bookmarks: number[];
  time: (tick: number) => string;
  clock: Clock | null;
  lead: Lead | null;
  chance: WinChance | null;
  chapters: Chapter[];
  range: Range | null;
  /** Ticks of the game's jumps by name, and of one player by `name/player`. */
  jumps: Record<string, number[]>;
  /** Whether lanes are shown below a lead. */
  lanes: boolean;
  /** First and last ticks of stretches in which the map shows something less certain. */
  doubts: [number, number][];
}
const TOP = 20,
  LANE = 13,
  MOST = 8,
  LEAD = 100,
  NEAREST = 20;

/** Left and right of the first and the last tick; the bands of rounds below have the same. */
const LEFT = 104,
  RIGHT = 12;

/** A number of at most four letters: 4.8k. */
function short(value: number): string {
  return value < 1000 ? String(Math.round(value)) : `${(value / 1000).toFixed(value < 10_000 ? 1 : 0)}k`;
}

/** A part of the recording after zooming around a tick; null if it is all of it. */
export function zoomed([low, high]: Range, whole: Range, around: number, factor: number): Range | null {
  const size = Math.max(NEAREST, (high - low) * factor);
  if (size >= whole[1] - whole[0]) return null;
  const start = Math.max(whole[0], Math.min(whole[1] - size, around - (around - low) * (size / (high - low))));
  return [start, start + size];
}

export class Timeline {
  #lanes: string[] = [];
  #shown: Lanes = {
    marks: [],
    bookmarks: [],
    time: String,
    clock: null,
    lead: null,
    chance: null,
    chapters: [],
    range: null,
    jumps: {},
    lanes: false,
    doubts: [],
  };
  /** The part of the recording that is shown; null for all of it. */
  span: Range | null = null;
  #key = "";
  #wide = 0;
  #ink = "";
  /** Everything but the playhead. */
  readonly #still: Still;
  /** Labels of the lead, with their places. */
  #scale: [string, number][] = [];
  /** What is drawn on the lead. */
  #symbols: { mark: Mark; x: number; y: number }[] = [];
  #hover: Mark | null = null;
  onHover: (mark: Mark | null, x: number) => void = () => {};
  onRange: (range: Range | null) => void = () => {};
  onSpan: (span: Range | null) => void = () => {};

  readonly #summary: Summary;
  readonly #cast: Cast;
  readonly #words: Words;
  readonly #playback: Playback;

  constructor(
    readonly canvas: HTMLCanvasElement,
    summary: Summary,
    cast: Cast,
    words: Words,
    playback: Playback,
  ) {
    this.#summary = summary;
    this.#cast = cast;
    this.#words = words;
    this.#playback = playback;
    this.#still = new Still(canvas);
    let dragging = false,
      chosen: number | null = null;
    const within = (x: number): number =>
      Math.round(Math.max(playback.first, Math.min(playback.last, this.#tickAt(x))));
    const seek = (event: PointerEvent): void => {
      const near = this.#nearest(event.offsetX, event.offsetY);
      this.#playback.seek(near && !dragging ? near.tick : this.#tickAt(event.offsetX));
    };
    const end = (): void => {
      dragging = false;
      chosen = null;
    };
    hears(
      {
        pointerdown: (event) => {
          canvas.setPointerCapture(event.pointerId);
          if (event.shiftKey) chosen = within(event.offsetX);
          else {
            seek(event);
            dragging = true;
          }
        },
        pointermove: (event) => {
          if (dragging) seek(event);
          if (chosen !== null) {
            const other = within(event.offsetX);
            this.onRange(other === chosen ? null : [Math.min(chosen, other), Math.max(chosen, other)]);
          }
          const near = this.#nearest(event.offsetX, event.offsetY);
          if (near !== this.#hover) {
            this.#hover = near;
            this.onHover(near, event.offsetX);
          }
        },
        wheel: (event) => {
          event.preventDefault();
          const factor = Math.exp(event.deltaY * (event.deltaMode ? 0.05 : 0.0015));
          if (event.shiftKey) this.#pan((event.deltaY + event.deltaX) / 600);
          else this.zoom(factor, this.#tickAt(event.offsetX));
        },
        pointerup: end,
        pointercancel: end,
        pointerleave: () => {
          this.#hover = null;
          this.onHover(null, 0);
        },
      },
      { passive: false },
      canvas,
    );
    new ResizeObserver(() => this.again()).observe(canvas);
  }
  again(): void {
    this.#key = "";
  }
  get height(): number {
    return this.#lanesTop + this.#rows * LANE + 6;
  }
  /** Number of the lanes that are shown: all without a lead, or on demand. */
  get #rows(): number {
    return this.#shown.lead && !this.#shown.lanes ? 0 : Math.max(1, Math.min(MOST, this.#lanes.length));
  }
  get #lanesTop(): number {
    return TOP + (this.#shown.lead ? LEAD + 4 : 0);
  }

  show(shown: Lanes): void {
    this.#shown = shown;
    const counts = new Map<string, number>();
    for (const mark of shown.marks) counts.set(mark.kind, (counts.get(mark.kind) ?? 0) + 1);
    this.#lanes = this.#summary.notable.filter((kind) => counts.has(kind));
    for (const kind of counts.keys()) if (!this.#lanes.includes(kind)) this.#lanes.push(kind);
    this.again();
  }
  get #whole(): Range {
    return [this.#playback.first, this.#playback.last];
  }
  get part(): Range {
    return this.span ?? this.#whole;
  }
  zoom(factor: number, around = this.#playback.tick): void {
    this.setSpan(zoomed(this.part, this.#whole, around, factor));
  }
  #pan(share: number): void {
    const [low, high] = this.part,
      by = Math.max(this.#playback.first - low, Math.min(this.#playback.last - high, share * (high - low)));
    if (this.span) this.setSpan([low + by, high + by]);
  }
  /** Whether the user chose what is shown. */
  touched = false;
  /** Shows a part that the user did not ask for. */
  trim(span: Range): void {
    this.span = span;
    this.again();
  }
  setSpan(span: Range | null): void {
    this.touched = true;
    this.span = span;
    this.again();
    this.onSpan(span);
  }

  /** Width of the names of the lanes, left of the first tick. */
  readonly #left = LEFT;
  get #width(): number {
    return Math.max(1, this.#wide - this.#left - RIGHT);
  }
  #x(tick: number): number {
    return this.#left + ((tick - this.part[0]) / Math.max(1, this.part[1] - this.part[0])) * this.#width;
  }
  #tickAt(x: number): number {
    return this.part[0] + ((x - this.#left) / this.#width) * Math.max(1, this.part[1] - this.part[0]);
  }
  #lane(kind: string): number {
    return Math.min(MOST - 1, Math.max(0, this.#lanes.indexOf(kind)));
  }
  #nearest(x: number, y: number): Mark | null {
    if (y < TOP || x < this.#left - 6) return null;
    let best: Mark | null = null,
      distance = 6;
    for (const { mark, x: left, y: top } of this.#symbols) {
      const away = Math.hypot(left - x, top - y);
      if (away < distance + 2) {
        best = mark;
        distance = away;
      }
    }
    if (!this.#rows || y < this.#lanesTop) return best;
    for (const mark of this.#shown.marks) {
      const away = Math.abs(this.#x(mark.tick) - x);
      if (away < distance && Math.abs(this.#lanesTop + this.#lane(mark.kind) * LANE + LANE / 2 - y) <= LANE / 2) {
        best = mark;
        distance = away;
      }
    }
    return best;
  }

  draw(): void {
    const { canvas } = this,
      playback = this.#playback,
      still = this.#still;
    if (canvas.clientWidth !== this.#wide) {
      this.#wide = canvas.clientWidth;
      this.again();
    }
    if (this.span && playback.playing && playback.tick > this.span[1]) this.#pan(0.8);
    const x = this.#x(playback.tick),
      key = String(Math.round(x * 2));
    if (key === this.#key) return;
    if (!this.#key) {
      canvas.style.height = `${this.height}px`;
      still.draw(this.#wide, this.height, (pen) => this.#drawStill(pen));
    }
    this.#key = key;
    const pen = still.show();
    if (!pen || x < this.#left - 1 || x > this.#wide) return;
    pen.fillStyle = this.#ink;
    pen.fillRect(x - 1, 14, 2, this.height - 14);
    disc(pen, x, 15, 5);
  }

  /** Draws everything but the playhead. */
  #drawStill(pen: CanvasRenderingContext2D): void {
    const width = this.#wide,
      shown = this.#shown,
      {
        height,
        part: [low, high],
      } = this;
    const of = colours();
    this.#ink = of("ink");
    pen.save();
    pen.beginPath();
    pen.rect(this.#left - 14, 0, width - this.#left + 14, height);
    pen.clip();
    if (shown.range) {
      pen.fillStyle = of("accent");
      pen.globalAlpha = 0.22;
      pen.fillRect(this.#x(shown.range[0]), TOP - 6, this.#x(shown.range[1]) - this.#x(shown.range[0]), height);
      pen.globalAlpha = 1;
    }
    pen.font = "10px system-ui, sans-serif";
    pen.textBaseline = "middle";
    pen.textAlign = "center";
    const step = STEPS.find((each) => this.#x(each * this.#summary.rate) - this.#x(0) > 64) ?? STEPS[STEPS.length - 1];
    // A clock that counts down again and again is told by the bands of the rounds.
    for (const tick of shown.clock?.countdowns.length
      ? []
      : labelled(Math.max(low, this.#playback.first), high, step, this.#summary, shown.clock)) {
      const x = this.#x(tick);
      pen.fillStyle = of("grid");
      pen.fillRect(x, TOP - 4, 1, height - TOP);
      pen.fillStyle = of("dim");
      pen.fillText(shown.time(tick).replace(" paused", ""), Math.max(this.#left, Math.min(width - 18, x)), 8);
    }
    for (const mark of this.#rows ? shown.marks : []) {
      if (mark.tick < low || mark.tick > high) continue;
      const top = this.#lanesTop + this.#lane(mark.kind) * LANE;
      pen.fillStyle = this.#cast.colour(mark.player, mark.team);
      pen.globalAlpha = mark.player === null && mark.team === null ? 0.75 : 0.95;
      pen.fillRect(this.#x(mark.tick) - 1.25, top + 1, 2.5, LANE - 3);
    }
    pen.globalAlpha = 1;
    this.#scale = [];
    this.#symbols = [];
    if (shown.lead) {
      this.#drawLead(pen, shown.lead, of("rule"));
      if (shown.chance) this.#drawChance(pen, shown.chance, shown.lead.teams[0]);
      this.#drawSymbols(pen, of("panel"));
    }
    pen.fillStyle = of("error");
    for (const [first, last] of shown.doubts)
      pen.fillRect(this.#x(first) - 0.5, TOP - 5, Math.max(1.5, this.#x(last + 1) - this.#x(first)), 4);
    for (const tick of shown.bookmarks) {
      const x = this.#x(tick);
      pen.fillStyle = of("accent");
      pen.beginPath();
      pen.moveTo(x, TOP - 2);
      pen.lineTo(x - 5, TOP - 11);
      pen.lineTo(x + 5, TOP - 11);
      pen.closePath();
      pen.fill();
    }
    pen.restore();
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    pen.font = "10px system-ui, sans-serif";
    pen.lineWidth = 3;
    pen.strokeStyle = of("panel");
    pen.lineJoin = "round";
    pen.fillStyle = of("dim");
    const name = (label: string, y: number): void => {
      let text = label;
      while (text.length > 1 && pen.measureText(text).width > this.#left - 8) text = text.replace(/.…?$/u, "…");
      pen.strokeText(text, 6, y);
      pen.fillText(text, 6, y);
    };
    this.#lanes.slice(0, this.#rows).forEach((kind, place) => {
      name(
        place === MOST - 1 && this.#lanes.length > MOST ? "and others" : this.#words.kind(kind),
        this.#lanesTop + place * LANE + LANE / 2,
      );
    });
    for (const [label, y] of this.#scale) name(label, y);
    if (shown.lead) name(shown.lead.label.replace(/ \(.*| collected.*/, "").replace(/,.*/, " …"), TOP + LEAD / 2 + 12);
    if (shown.lead && shown.chance) {
      const [first, second] = shown.lead.teams.map((team) => this.#cast.teamName(team));
      for (const [text, y] of [
        [`100 % ${first}`, TOP + 19],
        [`100 % ${second}`, TOP + LEAD - 18],
      ] as const)
        name(text, y);
    }
  }

  /** Draws the recorded probability to win as a line: at the top the first side wins. */
  #drawChance(pen: CanvasRenderingContext2D, { tick, value, team }: WinChance, first: number): void {
    pen.strokeStyle = this.#ink;
    pen.lineWidth = 1.25;
    pen.beginPath();
    tick.forEach((each, place) => {
      const share = team === first ? value[place] : 1 - value[place];
      pen.lineTo(this.#x(each), TOP + LEAD * (1 - share));
    });
    pen.stroke();
  }

  /** Draws by how much a side led, in its colour: the first side above the middle, the second one below. */
  #drawLead(pen: CanvasRenderingContext2D, { tick, values, teams }: Lead, rule: string): void {
    const middle = TOP + LEAD / 2;
    const ahead = tick.map((_, place) => values[0][place] - values[1][place]);
    // A lead of less than a fiftieth of what a side has does not fill the lane.
    const most = Math.max(1, ...ahead.map(Math.abs), 0.02 * Math.max(...values[0], ...values[1]));
    this.#scale = [
      [`+${short(most)}`, TOP + 6],
      ["0", middle],
      [`+${short(most)}`, TOP + LEAD - 5],
    ];
    pen.fillStyle = rule;
    pen.fillRect(this.#left, middle, this.#width, 1);
    pen.globalAlpha = 0.65;
    ahead.forEach((by, place) => {
      const x = this.#x(tick[place]),
        next = this.#x(tick[place + 1] ?? this.#playback.last);
      pen.fillStyle = this.#cast.colour(null, by > 0 ? teams[0] : teams[1]);
      const size = (Math.abs(by) / most) * (LEAD / 2 - 2);
      pen.fillRect(x, by > 0 ? middle - size : middle + 1, Math.max(1, next - x), size);
    });
    pen.globalAlpha = 1;
  }

  /** Draws the moments of the game's jumps on the lead, each kind with a symbol: what the first side did above. */
  #drawSymbols(pen: CanvasRenderingContext2D, paper: string): void {
    const [low, high] = this.part;
    const at = new Map<number, Mark[]>();
    for (const mark of this.#shown.marks) at.set(mark.tick, [...(at.get(mark.tick) ?? []), mark]);
    const all = Object.entries(this.#shown.jumps).filter(([name]) => !name.includes("/"));
    all.forEach(([jump, ticks], kind) => {
      const last = [-9, -9];
      for (const tick of ticks) {
        const here = at.get(tick);
        if (tick < low || tick > high || !here) continue;
        const mark = here.find((each) => each.kill) ?? here[0];
        const side = this.#cast.side(mark.kill ? (mark.kill[0] as number) : mark.player, mark.kill?.[4] ?? mark.team);
        const x = this.#x(tick),
          place = side === 1 ? 1 : 0;
        if (x - last[place] < 9) continue;
        last[place] = x;
        const y = place ? TOP + LEAD - 9 - 14 * kind : TOP + 9 + 14 * kind;
        pen.fillStyle = this.#cast.colour(
          mark.kill ? (mark.kill[0] as number) : mark.player,
          mark.kill?.[4] ?? mark.team,
        );
        pen.strokeStyle = paper;
        pen.lineWidth = 2;
        drawSymbol(pen, jump, kind, x, y);
        this.#symbols.push({ mark, x, y });
      }
    });
  }
}

/** The lead at a tick: the side that is ahead and by how much; null before the first value. */
export function leadAt(lead: Lead, tick: number): { team: number; by: number } | null {
  const place = lead.tick.findLastIndex((each) => each <= tick);
  if (place < 0) return null;
  const by = lead.values[0][place] - lead.values[1][place];
  return { team: lead.teams[by >= 0 ? 0 : 1], by: Math.abs(by) };
}
