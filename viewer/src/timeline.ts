// The timeline: a slider, a lane of marks for each kind of event, bookmarks, and the playhead.
import type { Clock, Summary } from "./data";
import type { Cast } from "./cast";
import type { Playback } from "./playback";
import { labelled, STEPS } from "./time";
import type { Words } from "./words";

export interface Mark { tick: number; kind: string; player: number | null; team: number | null; text: string }
const TOP = 20, LANE = 13, MOST = 8;

export class Timeline {
  marks: Mark[] = [];
  lanes: string[] = [];
  bookmarks: number[] = [];
  private doubts: [number, number][] = [];
  private key = "";
  private wide = 0;
  private ink = "";
  /** The last drawing of everything but the playhead. */
  private readonly still = document.createElement("canvas");
  private hover: Mark | null = null;
  onHover: (mark: Mark | null, x: number) => void = () => {};
  private label: (tick: number) => string = String;
  private clock: Clock | null = null;

  constructor(readonly canvas: HTMLCanvasElement, private readonly summary: Summary, private readonly cast: Cast,
              private readonly words: Words, private readonly playback: Playback) {
    let dragging = false;
    const seek = (event: PointerEvent): void => {
      const near = this.nearest(event.offsetX, event.offsetY);
      this.playback.seek(near && !dragging ? near.tick : this.tickAt(event.offsetX));
    };
    canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); seek(event); dragging = true; });
    canvas.addEventListener("pointermove", (event) => {
      if (dragging) seek(event);
      const near = this.nearest(event.offsetX, event.offsetY);
      if (near !== this.hover) { this.hover = near; this.onHover(near, event.offsetX); }
    });
    canvas.addEventListener("pointerup", () => { dragging = false; });
    canvas.addEventListener("pointercancel", () => { dragging = false; });
    canvas.addEventListener("pointerleave", () => { this.hover = null; this.onHover(null, 0); });
    new ResizeObserver(() => this.again()).observe(canvas);
  }
  again(): void { this.key = ""; }
  get height(): number { return TOP + Math.max(1, Math.min(MOST, this.lanes.length)) * LANE + 6; }

  show(marks: Mark[], bookmarks: number[], doubts: [number, number][], time: (tick: number) => string, clock: Clock | null): void {
    this.doubts = doubts;
    this.marks = marks;
    this.bookmarks = bookmarks;
    this.label = (tick) => time(tick).replace(" paused", "");
    this.clock = clock;
    const counts = new Map<string, number>();
    for (const mark of marks) counts.set(mark.kind, (counts.get(mark.kind) ?? 0) + 1);
    this.lanes = this.summary.notable.filter((kind) => counts.has(kind));
    for (const kind of counts.keys()) if (!this.lanes.includes(kind)) this.lanes.push(kind);
    this.again();
  }
  /** Width of the names of the lanes, left of the first tick. */
  private readonly left = 104;
  private get span(): number { return Math.max(1, this.wide - this.left - 12); }
  private get ticks(): number { return Math.max(1, this.playback.last - this.playback.first); }
  private x(tick: number): number { return this.left + ((tick - this.playback.first) / this.ticks) * this.span; }
  private tickAt(x: number): number { return this.playback.first + ((x - this.left) / this.span) * this.ticks; }
  private lane(kind: string): number { return Math.min(MOST - 1, Math.max(0, this.lanes.indexOf(kind))); }
  private nearest(x: number, y: number): Mark | null {
    if (y < TOP) return null;
    let best: Mark | null = null, distance = 6;
    for (const mark of this.marks) {
      const away = Math.abs(this.x(mark.tick) - x);
      if (away < distance && Math.abs(TOP + this.lane(mark.kind) * LANE + LANE / 2 - y) <= LANE / 2) { best = mark; distance = away; }
    }
    return best;
  }

  draw(): void {
    const { canvas, playback, still } = this;
    if (canvas.clientWidth !== this.wide) { this.wide = canvas.clientWidth; this.again(); }
    const x = this.x(playback.tick), key = String(Math.round(x * 2));
    if (key === this.key) return;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    if (!this.key) {
      canvas.style.height = `${this.height}px`;
      canvas.width = still.width = Math.round(this.wide * ratio);
      canvas.height = still.height = Math.round(this.height * ratio);
      this.drawStill(ratio);
    }
    this.key = key;
    const pen = canvas.getContext("2d");
    if (!pen || !canvas.width || !canvas.height) return;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(still, 0, 0);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = this.ink;
    pen.fillRect(x - 1, 14, 2, this.height - 14);
    pen.beginPath(); pen.arc(x, 15, 5, 0, 7); pen.fill();
  }

  /** Draws everything but the playhead. */
  private drawStill(ratio: number): void {
    const { playback, wide: width, height } = this;
    const pen = this.still.getContext("2d");
    if (!pen) return;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(document.documentElement);
    const of = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    this.ink = of("ink");
    pen.font = "10px system-ui, sans-serif"; pen.textBaseline = "middle"; pen.textAlign = "center";
    const step = STEPS.find((each) => this.x(each * this.summary.rate) - this.x(0) > 64) ?? STEPS[STEPS.length - 1];
    for (const tick of labelled(playback.first, playback.last, step, this.summary, this.clock)) {
      const x = this.x(tick);
      pen.fillStyle = of("grid"); pen.fillRect(x, TOP - 4, 1, height - TOP);
      pen.fillStyle = of("dim"); pen.fillText(this.label(tick), Math.max(this.left, Math.min(width - 18, x)), 8);
    }
    for (const mark of this.marks) {
      const top = TOP + this.lane(mark.kind) * LANE;
      pen.fillStyle = this.cast.colour(mark.player, mark.team);
      pen.globalAlpha = mark.player === null && mark.team === null ? 0.75 : 0.95;
      pen.fillRect(this.x(mark.tick) - 1.25, top + 1, 2.5, LANE - 3);
    }
    pen.globalAlpha = 1;
    pen.fillStyle = of("error");
    for (const [first, last] of this.doubts) pen.fillRect(this.x(first) - 0.5, TOP - 5, Math.max(1.5, this.x(last + 1) - this.x(first)), 4);
    pen.textAlign = "left";
    this.lanes.slice(0, MOST).forEach((kind, place) => {
      const label = place === MOST - 1 && this.lanes.length > MOST ? "and others" : this.words.kind(kind);
      pen.lineWidth = 3; pen.strokeStyle = of("panel"); pen.lineJoin = "round";
      pen.strokeText(label, 6, TOP + place * LANE + LANE / 2);
      pen.fillStyle = of("dim"); pen.fillText(label, 6, TOP + place * LANE + LANE / 2);
    });
    for (const tick of this.bookmarks) {
      const x = this.x(tick);
      pen.fillStyle = of("accent");
      pen.beginPath(); pen.moveTo(x, TOP - 2); pen.lineTo(x - 5, TOP - 11); pen.lineTo(x + 5, TOP - 11); pen.closePath(); pen.fill();
    }
  }
}
