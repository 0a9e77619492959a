// The map: a camera, and layers that are drawn when time, camera or settings change.
import { type Camera, Lens } from "./camera";
import type { Cast } from "./cast";
import type { Effect, Ground, Heat, Note, Path, Presentation, Summary } from "./data";
import { EffectsLayer } from "./effects";
import { listen } from "./gestures";
import { GroundLayer } from "./ground";
import { type Ink, InkLayer } from "./ink";
import type { Shown } from "./layers";
import type { Motion, Stretch, Track } from "./motion";
import { drawSymbol } from "./shapes";
import { pixelRatio } from "./still";
import { ThingsLayer } from "./things";
import type { Words } from "./words";
import { colours } from "./root";

/** The camera comes this much nearer to a thing that it begins to follow. */
const FOLLOW_ZOOM = 3;
/** Pixels below the lowest place, for its name. */
const NAME = 20;
/** Seconds over which a speed is measured. */
const SPEED_SECONDS = 0.2;

/** What the map shows over its ground instead of the things of a tick. */
interface Over {
  readonly key: string;
  /** Returns the number of drawn things. */
  draw(pen: CanvasRenderingContext2D, lens: Lens): number;
}

export class MapView {
  over: Over | null = null;
  follow = false;
  readonly #lens: Lens;
  readonly #ground: GroundLayer;
  readonly #things: ThingsLayer;
  readonly #effects: EffectsLayer;
  readonly #inked: InkLayer;
  readonly #look: Presentation["map"];
  #notes: Note[] = [];
  #key = "";
  #held: Stretch | null = null;
  #fitted = false;
  #userMoved = false;
  #tick = 0;
  /** The camera before it followed something. */
  #before: Camera | null = null;
  onSelect: (track: Track | null) => void = () => {};
  onCamera: () => void = () => {};
  /** What is under the pointer, and the place of the pointer; null when it leaves. */
  onHover: (place: [number, number] | null) => void = () => {};
  /** Called with what the user drew; while it is null, a drag moves the map. */
  onInk: ((ink: Ink) => void) | null = null;

  readonly #cast: Cast;
  readonly #summary: Summary;
  readonly #motion: Motion;

  constructor(
    readonly canvas: HTMLCanvasElement,
    summary: Summary,
    cast: Cast,
    words: Words,
    motion: Motion,
  ) {
    this.#cast = cast;
    this.#summary = summary;
    this.#motion = motion;
    this.#look = summary.presentation.map;
    this.#lens = new Lens(canvas, this.#look.y_is_down);
    this.#ground = new GroundLayer(this.#lens, this.#look, cast);
    this.#effects = new EffectsLayer(this.#lens, cast, summary.rate);
    this.#inked = new InkLayer(this.#lens);
    this.#things = new ThingsLayer(this.#lens, summary, cast, words, motion, this.#ground, this.#effects);
    listen(canvas, {
      zoomBy: (factor, x, y) => this.zoomBy(factor, x, y),
      pan: (dx, dy) => this.#pan(dx, dy),
      click: (x, y) => this.select(this.#things.nearest(x, y)),
      hover: (place) => this.onHover(place),
      draws: () => this.onInk !== null,
      draw: (step, x, y) => {
        const ink = step === "end" ? this.#inked.end() : this.#inked[step](x, y);
        if (ink) this.onInk?.(ink);
        this.moveAgain();
      },
    });
    new ResizeObserver(() => {
      this.again();
      if (!this.#userMoved) this.#frame();
    }).observe(canvas);
  }
  get camera(): Camera {
    return this.#lens.camera;
  }
  get selected(): string | null {
    return this.#things.selected;
  }
  set selected(id: string | null) {
    this.#things.selected = id;
  }
  set heat(heat: Heat) {
    this.#ground.heat = heat;
  }
  set ink(ink: Ink[]) {
    this.#inked.ink = ink;
    this.moveAgain();
  }
  setEffects(effects: Effect[]): void {
    this.#effects.set(effects);
    this.moveAgain();
  }
  setNotes(notes: Note[]): void {
    this.#notes = notes;
    this.moveAgain();
  }
  /** The place on the canvas of a place of the world. */
  screenOf(place: [number, number]): [number, number] {
    return this.#lens.screen(...place);
  }
  /** What is near a place on the canvas, in words, a line each; empty for nothing. */
  told(x: number, y: number): string[] {
    return this.#held ? this.#things.told(x, y, this.#held, this.#tick) : [];
  }
  set path(path: Path) {
    this.#things.path = path;
  }

  theme(): void {
    const of = colours();
    this.#ground.colours = {
      ink: of("ink"),
      paper: of("map"),
      dim: of("dim"),
      tree: of("tree"),
      tile: of("tile"),
      grid: of("grid"),
      relief: of("relief"),
    };
    this.again();
  }
  again(): void {
    this.#ground.again();
    this.#key = "";
  }
  /** Sets the layers, the hidden players, and whether the camera follows the chosen thing. */
  show(shown: Shown, hidden: Set<number>, follow: boolean): void {
    this.#things.shown = { ...shown };
    this.#things.hidden = hidden;
    if (follow !== this.follow) this.#setFollow(follow);
    this.again();
  }
  /** Comes nearer to what is followed, and back afterwards. */
  #setFollow(follow: boolean): void {
    this.follow = follow;
    if (follow) {
      this.#before = { ...this.camera };
      if (!this.#userMoved && !this.isChosenAway) this.camera.zoom *= FOLLOW_ZOOM;
    } else if (this.#before) {
      this.#lens.camera = this.#before;
      this.#before = null;
    }
  }
  /** Draws the things again, but not the ground. */
  moveAgain(): void {
    this.#key = "";
  }

  setGround(ground: Ground): void {
    this.#ground.set(ground, () => this.again());
    if (!this.#fitted || !this.#userMoved) this.#frame();
    this.again();
  }
  setCamera(camera: Camera): void {
    this.#lens.camera = camera;
    this.#userMoved = this.#fitted = true;
    this.again();
  }

  /** Shows the whole map, and follows nothing any more. */
  fit(): void {
    this.#before = null;
    if (this.follow) {
      this.follow = false;
      this.onCamera();
    }
    this.#frame();
  }
  /** Shows the whole map; what is followed stays in the middle. */
  #frame(): void {
    const lens = this.#lens,
      { ground } = this.#ground;
    lens.measure();
    let bounds = ground?.picture?.bounds ?? ground?.bounds ?? null;
    // Named places are within the picture; the dead and the arriving, whom some games keep outside, need not be.
    for (const [kind, x, y, , label] of (bounds && ground?.picture && ground.marks) || [])
      if (label && bounds) {
        const [left, right, low, high] = bounds;
        const half = (this.#look.mark_styles[kind]?.size ?? 1) * this.#look.mark_radius;
        bounds = [
          Math.min(left, x - half),
          Math.max(right, x + half),
          Math.min(low, y - half),
          Math.max(high, y + half),
        ];
      }
    if (this.#held && !ground?.tiles.length && !ground?.picture) {
      let [left, right, low, high] = bounds ?? [Infinity, -Infinity, Infinity, -Infinity];
      for (const track of this.#held.tracks) {
        if (track.info.role === "other") continue;
        for (let row = 0; row < track.x.length; row++) {
          const x = track.x[row],
            y = track.y[row];
          if (Number.isNaN(x)) continue;
          left = Math.min(left, x);
          right = Math.max(right, x);
          low = Math.min(low, y);
          high = Math.max(high, y);
        }
      }
      if (left <= right) {
        const margin = (bounds ? 0.02 : 0.08) * Math.max(right - left, high - low, 20 * this.#look.length[1]);
        bounds = [left - margin, right + margin, low - margin, high + margin];
      }
    }
    if (!bounds || !lens.width) return;
    const [left, right, low, high] = bounds;
    const top = lens.covered[0],
      bottom = lens.covered[1] + NAME;
    const zoom = Math.min(lens.width / (right - left), (lens.height - top - bottom) / (high - low));
    const up = ((top - bottom) / 2) * (this.#look.y_is_down ? -1 : 1);
    lens.camera = { x: (left + right) / 2, y: (low + high) / 2 + up / zoom, zoom };
    // A long run does not fit the window: keep tiles visible.
    if (this.#look.tile && lens.camera.zoom * this.#look.tile < 4) {
      lens.camera.zoom = 4 / this.#look.tile;
      const near = this.#amongPlayers();
      if (near) {
        // Nothing is shown of what is outside of the map, as far as it is larger than the window.
        const within = (at: number, first: number, last: number, shown: number): number =>
          last - first > shown ? Math.max(first + shown / 2, Math.min(last - shown / 2, at)) : (first + last) / 2;
        lens.camera.x = within(near[0], left, right, lens.width / lens.camera.zoom);
        lens.camera.y =
          within(near[1], low, high, (lens.height - top - bottom) / lens.camera.zoom) + up / lens.camera.zoom;
      }
    }
    if (this.follow) {
      this.#before = { ...lens.camera };
      lens.camera.zoom *= FOLLOW_ZOOM;
    }
    this.#fitted = true;
    this.again();
  }
  /** The place of the player that is in the middle of all: a map that does not fit the window is shown there. */
  #amongPlayers(): [number, number] | null {
    const places: [number, number][] = [];
    for (const track of this.#held?.tracks ?? []) {
      const spot = track.info.role === "hero" && this.#held && this.#motion.spot(this.#held, track, this.#tick);
      if (spot) places.push([spot.x, spot.y]);
    }
    return places.sort((a, b) => a[0] - b[0])[places.length >> 1] ?? null;
  }
  /** Shows the whole map again after a jump, unless the user has moved it. */
  refit(): void {
    if (!this.#userMoved && !this.follow) this.#fitted = false;
  }

  zoomBy(factor: number, atX?: number, atY?: number): void {
    this.#lens.zoomBy(factor, atX, atY);
    this.#moved();
  }
  #pan(dx: number, dy: number): void {
    this.#lens.pan(dx, dy);
    this.follow = false;
    this.#before = null;
    this.#moved();
  }
  #moved(): void {
    this.#userMoved = true;
    this.#key = "";
    this.onCamera();
  }

  select(track: Track | null): void {
    this.selected = track?.info.id ?? null;
    if (!track) this.follow = false;
    this.#key = "";
    this.onSelect(track);
  }
  /** The track of a player's own unit in the shown stretch. */
  trackOf(player: number): Track | null {
    const own = this.#held?.tracks.filter((track) => track.info.player === player) ?? [];
    return (
      own.find((track) => track.info.role === "hero") ??
      own.find((track) => track.info.role === "camera") ??
      own[0] ??
      null
    );
  }
  get selectedTrack(): Track | null {
    return (this.selected && this.#held?.byId.get(this.selected)) || null;
  }

  /** How fast the chosen player's unit moves; null without one. */
  get speed(): string | null {
    const track = this.selectedTrack,
      held = this.#held;
    if (!held || track?.info.role !== "hero") return null;
    const { rate, presentation } = this.#summary,
      [unit, size] = presentation.map.length;
    const [now, before] = [0, SPEED_SECONDS].map((ago) => this.#motion.spot(held, track, this.#tick - ago * rate));
    if (!now || !before) return null;
    return `${Math.round(Math.hypot(now.x - before.x, now.y - before.y) / size / SPEED_SECONDS)} ${unit}/s`;
  }
  /** Whether the chosen thing is not on the map at this moment. */
  get isChosenAway(): boolean {
    const track = this.selectedTrack;
    return this.selected !== null && !(track && this.#held && this.#motion.spot(this.#held, track, this.#tick));
  }
  /** Whether nothing is on the map at this moment. */
  get isBare(): boolean {
    return this.canvas.dataset.things === "0";
  }

  /** Draws a tick; returns whether its stretch was loaded. */
  draw(tick: number, ahead: number): boolean {
    this.#lens.measure();
    const stretch = this.#motion.at(tick, ahead);
    const ready = stretch !== null;
    if (stretch) this.#held = stretch;
    this.#tick = tick;
    if (!this.#fitted && !ready) return ready;
    if (!this.#fitted && this.#held) this.#frame();
    if (this.follow && this.#held && this.selected) {
      const track = this.#held.byId.get(this.selected);
      const spot = track && this.#motion.spot(this.#held, track, tick);
      if (spot) {
        this.#lens.camera.x = spot.x;
        this.#lens.camera.y = spot.y;
      }
    }
    const { camera, width, height } = this.#lens;
    const shownTick = ready ? tick : Math.max(this.#held?.start ?? 0, Math.min(this.#held?.end ?? 0, tick));
    const key = `${shownTick}|${camera.x}|${camera.y}|${camera.zoom}|${this.selected}|${ready}|${this.#held?.number}|${this.over?.key}`;
    if (key === this.#key) return ready;
    this.#key = key;
    const ratio = pixelRatio();
    const { canvas } = this;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const pen = canvas.getContext("2d");
    if (!pen || !canvas.width || !canvas.height) return ready;
    this.#ground.draw(canvas.width, canvas.height, ratio, this.#things.shown);
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.drawImage(this.#ground.canvas, 0, 0);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (this.over) canvas.dataset.things = String(this.over.draw(pen, this.#lens));
    else if (this.#held) {
      this.#things.draw(pen, this.#held, shownTick);
      canvas.dataset.things = String(this.#things.count);
    }
    for (const [, , , player, team, x, y] of this.#notes)
      if (x !== null && y !== null) {
        pen.fillStyle = this.#cast.colour(player, team, true);
        pen.strokeStyle = "#000";
        drawSymbol(pen, "", 1, ...this.#lens.screen(x, y));
      }
    this.#inked.draw(pen, (text, x, y) => this.#things.labels.write(pen, text, x, y));
    return ready;
  }
}
