// The map. A canvas in memory holds the ground; things that move are drawn over it when time or camera change.
import type { Ground, Heat, MarkStyle, Path, Presentation, Summary } from "./data";
import type { Cast } from "./cast";
import { drawLines, drawShot, FROZEN_COLOUR } from "./details";
import { ALIVE, FIRE, FROZEN, HOOK, type Motion, NO_FACING, SEEN_BY_FIRST, SEEN_BY_SECOND, type Spot, type Stretch, type Track } from "./motion";
import { begun } from "./settled";
import { cross, ring } from "./shapes";
import type { Words } from "./words";

const TRAIL_SECONDS = 5;
const UNIT_PIXELS = 3;
const PLAIN_MARK: MarkStyle = { shape: "outline", size: 1.3, colour: null };
const FONT = "600 11px system-ui, 'Noto Sans', 'Noto Sans CJK SC', 'Noto Color Emoji', sans-serif";
/** Places for a name, in pixels below its owner. The first free one is used; a name that does not fit is shown as a number only. */
const NAME_PLACES = [17, -19, 29, -31, 41];

export interface Camera { x: number; y: number; zoom: number }
/** The layers to draw; `sight` is the team whose view is shown, null for everything that the recording has. */
export interface Shown {
  names: boolean; trails: boolean; health: boolean; units: boolean; details: boolean; cameras: boolean; orders: boolean; heat: boolean; path: boolean;
  picture: boolean; sight: number | null;
}
export const SHOWN: Shown = {
  names: true, trails: true, health: true, units: true, details: true, cameras: true, orders: true, heat: false, path: false, picture: true, sight: null,
};
/** Pixels at the top of the map that buttons cover. */
const BUTTONS = 42;
/** Seconds after which the place of an order is not drawn any more. */
const ORDER_SECONDS = 5;
/** The camera comes this much nearer to a thing that it begins to follow. */
const FOLLOW_ZOOM = 3;
interface Drawn { track: Track; x: number; y: number; radius: number }

export class MapView {
  camera: Camera = { x: 0, y: 0, zoom: 1 };
  selected: string | null = null;
  follow = false;
  shown: Shown = { ...SHOWN };
  hidden = new Set<number>();
  ground: Ground | null = null;
  heat: Heat | null = null;
  path: Path | null = null;
  private picture: HTMLImageElement | null = null;
  private readonly still: HTMLCanvasElement = document.createElement("canvas");
  private stillKey = "";
  private key = "";
  private drawn: Drawn[] = [];
  private held: Stretch | null = null;
  private fitted = false;
  private colours = { ink: "#fff", paper: "#000", dim: "#888", tree: "#355", tile: "#345", grid: "#222" };
  private readonly pointers = new Map<number, { x: number; y: number }>();
  onSelect: (track: Track | null) => void = () => {};
  onCamera: () => void = () => {};

  constructor(readonly canvas: HTMLCanvasElement, private readonly summary: Summary, private readonly cast: Cast,
              private readonly words: Words, private readonly motion: Motion) {
    this.look = summary.presentation.map;
    this.listen();
  }

  /** Size of the canvas, measured once for each drawing: each measurement costs a layout. */
  private width = 0;
  private height = 0;
  private measure(): void { this.width = this.canvas.clientWidth; this.height = this.canvas.clientHeight; }

  theme(): void {
    const style = getComputedStyle(document.documentElement);
    const of = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    this.colours = { ink: of("ink"), paper: of("map"), dim: of("dim"), tree: of("tree"), tile: of("tile"), grid: of("grid") };
    this.again();
  }
  again(): void { this.stillKey = ""; this.key = ""; }
  /** Sets the layers, the hidden players, and whether the camera follows the chosen thing. */
  show(shown: Shown, hidden: Set<number>, follow: boolean): void {
    this.shown = { ...shown };
    this.hidden = hidden;
    if (follow !== this.follow) this.setFollow(follow);
    this.again();
  }
  /** The camera before it followed something. */
  private before: Camera | null = null;
  /** Comes nearer to what is followed, and back afterwards. */
  private setFollow(follow: boolean): void {
    this.follow = follow;
    if (follow) {
      this.before = { ...this.camera };
      if (!this.userMoved) this.camera.zoom *= FOLLOW_ZOOM;
    } else if (this.before) {
      this.camera = this.before;
      this.before = null;
    }
  }
  /** Draws the things again, but not the ground. */
  moveAgain(): void { this.key = ""; }

  screen(x: number, y: number): [number, number] {
    const { camera } = this;
    const dy = (y - camera.y) * camera.zoom;
    return [this.width / 2 + (x - camera.x) * camera.zoom, this.height / 2 + (this.look.y_is_down ? dy : -dy)];
  }
  world(x: number, y: number): [number, number] {
    const { camera } = this;
    const dy = (y - this.height / 2) / camera.zoom;
    return [camera.x + (x - this.width / 2) / camera.zoom, camera.y + (this.look.y_is_down ? dy : -dy)];
  }
  setGround(ground: Ground): void {
    this.ground = ground;
    if (ground.picture) {
      const image = new Image(), end = begun();
      image.onload = () => { this.picture = image; this.again(); end(); };
      image.onerror = end;
      image.src = ground.picture.url;
    }
    if (!this.fitted || !this.userMoved) this.fit();
    this.again();
  }
  private userMoved = false;
  private readonly look: Presentation["map"];

  setCamera(camera: Camera): void {
    this.camera = camera;
    this.userMoved = this.fitted = true;
    this.again();
  }

  fit(): void {
    this.measure();
    let bounds = this.ground?.picture?.bounds ?? this.ground?.bounds ?? null;
    if (this.held && !this.ground?.tiles.length) {
      let [left, right, low, high] = bounds ?? [Infinity, -Infinity, Infinity, -Infinity];
      for (const track of this.held.tracks) {
        if (track.info.role === "other") continue;
        for (let row = 0; row < track.x.length; row++) {
          const x = track.x[row], y = track.y[row];
          if (Number.isNaN(x)) continue;
          left = Math.min(left, x); right = Math.max(right, x); low = Math.min(low, y); high = Math.max(high, y);
        }
      }
      if (left <= right) {
        const margin = (bounds ? 0.02 : 0.08) * Math.max(right - left, high - low, 20 * this.look.length[1]);
        bounds = [left - margin, right + margin, low - margin, high + margin];
      }
    }
    if (!bounds || !this.width) return;
    this.before = null;
    if (this.follow) { this.follow = false; this.onCamera(); }
    const [left, right, low, high] = bounds;
    // The buttons at the top and the legend at the bottom cover the map.
    const legend = this.canvas.parentElement?.querySelector<HTMLElement>(".legend")?.offsetHeight ?? 0;
    const [top, bottom] = this.height > 320 ? [BUTTONS, legend + 4] : [0, 0];
    const zoom = Math.min(this.width / (right - left), (this.height - top - bottom) / (high - low));
    const up = (((top - bottom) / 2) * (this.look.y_is_down ? -1 : 1)) / zoom;
    this.camera = { x: (left + right) / 2, y: (low + high) / 2 + up, zoom };
    // A long run does not fit the window: keep tiles visible.
    if (this.look.tile && this.camera.zoom * this.look.tile < 4) {
      this.camera.zoom = 4 / this.look.tile;
      const near = this.amongPlayers();
      if (near) [this.camera.x, this.camera.y] = near;
    }
    this.fitted = true;
    this.again();
  }
  /** The place of the player that is in the middle of all: a map that does not fit the window is shown there. */
  private amongPlayers(): [number, number] | null {
    const places: [number, number][] = [];
    for (const track of this.held?.tracks ?? []) {
      const spot = track.info.role === "hero" && this.held && this.motion.spot(this.held, track, this.tick);
      if (spot) places.push([spot.x, spot.y]);
    }
    return places.sort((a, b) => a[0] - b[0])[places.length >> 1] ?? null;
  }
  /** Shows the whole map again after a jump, unless the user has moved it. */
  refit(): void { if (!this.userMoved && !this.follow) this.fitted = false; }
  private tick = 0;

  zoomBy(factor: number, atX = this.width / 2, atY = this.height / 2): void {
    const [x, y] = this.world(atX, atY);
    this.camera.zoom = Math.max(1e-4, Math.min(400, this.camera.zoom * factor));
    const [newX, newY] = this.world(atX, atY);
    this.camera.x += x - newX; this.camera.y += y - newY;
    this.moved();
  }
  pan(dx: number, dy: number): void {
    this.camera.x -= dx / this.camera.zoom;
    this.camera.y -= (this.look.y_is_down ? dy : -dy) / this.camera.zoom;
    this.follow = false;
    this.before = null;
    this.moved();
  }
  private moved(): void { this.userMoved = true; this.key = ""; this.onCamera(); }

  private listen(): void {
    const { canvas, pointers } = this;
    let travelled = 0;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoomBy(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), event.offsetX, event.offsetY);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
      travelled = 0;
    });
    canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const [was, is] = [before, { x: event.offsetX, y: event.offsetY }].map((each) => Math.hypot(each.x - other.x, each.y - other.y));
        if (was > 0) this.zoomBy(is / was, (event.offsetX + other.x) / 2, (event.offsetY + other.y) / 2);
      }
      const [dx, dy] = [event.offsetX - before.x, event.offsetY - before.y];
      travelled += Math.abs(dx) + Math.abs(dy);
      if (!other && travelled > 4) this.pan(dx, dy);
      pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    });
    canvas.addEventListener("pointerup", (event) => {
      pointers.delete(event.pointerId);
      if (travelled <= 4) this.select(this.nearest(event.offsetX, event.offsetY));
    });
    canvas.addEventListener("pointercancel", (event) => pointers.delete(event.pointerId));
    new ResizeObserver(() => { this.again(); if (!this.userMoved) this.fit(); }).observe(canvas);
  }
  private nearest(x: number, y: number): Track | null {
    let best: Track | null = null, distance = 18;
    for (const each of this.drawn) {
      const away = Math.hypot(each.x - x, each.y - y) - each.radius - (each.track.info.role === "hero" ? 4 : 0);
      if (away < distance) { distance = away; best = each.track; }
    }
    return best;
  }
  select(track: Track | null): void {
    this.selected = track?.info.id ?? null;
    if (!track) this.follow = false;
    this.key = "";
    this.onSelect(track);
  }
  /** The track of a player's own unit in the shown stretch. */
  trackOf(player: number): Track | null {
    const own = this.held?.tracks.filter((track) => track.info.player === player) ?? [];
    return own.find((track) => track.info.role === "hero") ?? own.find((track) => track.info.role === "camera") ?? own[0] ?? null;
  }
  get selectedTrack(): Track | null {
    return (this.selected && this.held?.byId.get(this.selected)) || null;
  }

  /** Whether nothing is on the map at this moment. */
  get isBare(): boolean { return this.canvas.dataset.things === "0"; }

  /** Draws a tick; returns whether its stretch was loaded. */
  draw(tick: number, ahead: number): boolean {
    this.measure();
    const stretch = this.motion.at(tick, ahead);
    const ready = stretch !== null;
    if (stretch) this.held = stretch;
    this.tick = tick;
    if (!this.fitted && !ready) return ready;
    if (!this.fitted && this.held) this.fit();
    if (this.follow && this.held && this.selected) {
      const track = this.held.byId.get(this.selected);
      const spot = track && this.motion.spot(this.held, track, tick);
      if (spot) { this.camera.x = spot.x; this.camera.y = spot.y; }
    }
    const { camera } = this;
    const shownTick = ready ? tick : Math.max(this.held?.start ?? 0, Math.min(this.held?.end ?? 0, tick));
    const key = `${shownTick}|${camera.x}|${camera.y}|${camera.zoom}|${this.selected}|${ready}|${this.held?.number}`;
    if (key === this.key) return ready;
    this.key = key;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const { canvas, width, height } = this;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio);
    }
    const pen = canvas.getContext("2d");
    if (!pen || !canvas.width || !canvas.height) return ready;
    this.drawStill(ratio);
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.drawImage(this.still, 0, 0);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (this.held) this.drawThings(pen, this.held, shownTick);
    return ready;
  }

  private drawStill(ratio: number): void {
    const { camera, still, canvas, colours, ground } = this;
    const key = `${camera.x}|${camera.y}|${camera.zoom}|${canvas.width}|${canvas.height}|${this.shown.heat}|${this.shown.picture}`;
    if (key === this.stillKey) return;
    this.stillKey = key;
    still.width = canvas.width; still.height = canvas.height;
    const pen = still.getContext("2d");
    if (!pen) return;
    pen.scale(ratio, ratio);
    pen.fillStyle = colours.paper;
    pen.fillRect(0, 0, this.width, this.height);
    if (this.picture && this.shown.picture) this.drawPicture(pen);
    else if (ground?.tiles.length && this.look.tile) {
      pen.fillStyle = colours.tile;
      const side = this.look.tile, size = side * camera.zoom;
      for (const [x, y] of ground.tiles) {
        const [left, top] = this.screen(x * side, y * side);
        if (left > -size && top > -size && left < this.width && top < this.height) pen.fillRect(left, top, size + 0.6, size + 0.6);
      }
    } else this.drawGrid(pen);
    for (const [kind, x, y, team] of ground?.marks ?? []) {
      const [left, top] = this.screen(x, y);
      if (left < -20 || top < -20 || left > this.width + 20 || top > this.height + 20) continue;
      this.drawMark(pen, kind, left, top, team);
    }
    if (this.shown.heat && this.heat) {
      const { cell, cells } = this.heat;
      const size = cell * camera.zoom;
      const most = Math.log1p(cells.reduce((high, each) => Math.max(high, each[2]), 1));
      for (const [x, y, count] of cells) {
        const corner = this.screen(x * cell, y * cell);
        const share = Math.log1p(count) / most;
        pen.fillStyle = `hsla(${Math.round(275 - 225 * share)}, 90%, ${Math.round(35 + 25 * share)}%, ${0.15 + 0.6 * share})`;
        pen.fillRect(corner[0], this.look.y_is_down ? corner[1] : corner[1] - size, size + 0.5, size + 0.5);
      }
    }
  }
  private drawPicture(pen: CanvasRenderingContext2D): void {
    const { picture, ground } = this;
    const [left, right, low, high] = ground?.picture?.bounds ?? ground?.bounds ?? [0, 1, 0, 1];
    const [x0, y0] = this.screen(left, this.look.y_is_down ? low : high), [x1, y1] = this.screen(right, this.look.y_is_down ? high : low);
    pen.imageSmoothingEnabled = ground?.picture?.smooth ?? true;
    if (picture) pen.drawImage(picture, x0, y0, x1 - x0, y1 - y0);
  }
  private drawGrid(pen: CanvasRenderingContext2D): void {
    const rough = 80 / this.camera.zoom;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough;
    const [x0, y0] = this.world(0, 0), [x1, y1] = this.world(this.width, this.height);
    pen.strokeStyle = this.colours.grid;
    pen.lineWidth = 1;
    pen.beginPath();
    for (let x = Math.ceil(Math.min(x0, x1) / step) * step; x <= Math.max(x0, x1); x += step) {
      const left = Math.round(this.screen(x, 0)[0]) + 0.5;
      pen.moveTo(left, 0); pen.lineTo(left, this.height);
    }
    for (let y = Math.ceil(Math.min(y0, y1) / step) * step; y <= Math.max(y0, y1); y += step) {
      const top = Math.round(this.screen(0, y)[1]) + 0.5;
      pen.moveTo(0, top); pen.lineTo(this.width, top);
    }
    pen.stroke();
  }
  private drawMark(pen: CanvasRenderingContext2D, kind: string, x: number, y: number, team: number | null): void {
    const unit = Math.max(1, Math.min(9, this.camera.zoom * this.look.mark_radius));
    const { shape, size, colour } = this.look.mark_styles[kind] ?? PLAIN_MARK;
    const half = unit * size;
    const own = colour === null ? this.cast.colour(null, team) : (this.colours[colour as keyof typeof this.colours] ?? colour);
    if (shape === "disc") {
      pen.fillStyle = own;
      pen.beginPath(); pen.arc(x, y, half, 0, 7); pen.fill();
    } else if (shape === "block") {
      pen.fillStyle = own;
      pen.globalAlpha = 0.7;
      pen.fillRect(x - half, y - half * 0.625, half * 2, half * 1.25);
    } else {
      pen.strokeStyle = own;
      pen.globalAlpha = 0.45;
      pen.lineWidth = 1.2;
      pen.strokeRect(x - half, y - half, half * 2, half * 2);
    }
    pen.globalAlpha = 1;
  }

  /** Whether the team whose view is shown does not see something now. A team remembers buildings. */
  private unseen(track: Track, state: number): boolean {
    const { sight } = this.shown;
    if (sight === null || track.info.role === "building" || track.info.team === sight) return false;
    return !(state & (sight === this.summary.sight_teams[0] ? SEEN_BY_FIRST : SEEN_BY_SECOND));
  }

  private drawPath(pen: CanvasRenderingContext2D, stretch: Stretch): void {
    const owner = this.selectedTrack?.info.player ?? null;
    let path: { tick: ArrayLike<number>; x: ArrayLike<number>; y: ArrayLike<number> } | null = this.path?.player === owner ? this.path : null;
    if (!path && stretch.number === 0 && this.motion.last === 0) path = this.selectedTrack;  // a report has no other paths
    if (!path?.tick.length) return;
    const bounds = this.ground?.bounds;
    const far = bounds ? Math.max(bounds[1] - bounds[0], bounds[3] - bounds[2]) / 8 : Infinity;
    pen.strokeStyle = this.cast.colour(owner, this.selectedTrack?.info.team ?? null);
    pen.globalAlpha = 0.55; pen.lineWidth = 1.2;
    pen.beginPath();
    for (let row = 0; row < path.tick.length; row++) {
      if (Number.isNaN(path.x[row])) continue;
      const [x, y] = this.screen(path.x[row], path.y[row]);
      if (row && Math.hypot(path.x[row] - path.x[row - 1], path.y[row] - path.y[row - 1]) < far) pen.lineTo(x, y); else pen.moveTo(x, y);
    }
    pen.stroke();
    pen.globalAlpha = 1;
  }

  private drawThings(pen: CanvasRenderingContext2D, stretch: Stretch, tick: number): void {
    this.drawn = [];
    if (this.shown.path) this.drawPath(pen, stretch);
    const heroes: (Spot & { track: Track })[] = [];
    for (const track of this.inOrder(stretch)) {
      const { info } = track;
      const chosen = info.id === this.selected;
      if (info.player !== null && this.hidden.has(info.player)) continue;
      if (info.role === "camera" || info.role === "order") {
        if (info.role === "camera" ? this.shown.cameras || chosen : this.shown.orders) this.drawAttention(pen, stretch, track, tick, chosen);
        continue;
      }
      if (!this.shown.units && info.role !== "hero" && !chosen) continue;
      const spot = this.motion.spot(stretch, track, tick);
      if (!spot) continue;
      if (this.unseen(track, spot.state)) continue;
      const [x, y] = this.screen(spot.x, spot.y);
      if ((info.role === "hero" && (this.shown.trails || chosen)) || info.role === "thrown") this.drawTrail(pen, stretch, track, tick, chosen);
      const beam = info.role === "shot" && spot.detail && !Number.isNaN(spot.detail.toX);
      if (!beam && (x < -30 || y < -30 || x > this.width + 30 || y > this.height + 30)) continue;
      if (info.role === "shot") { if (this.shown.details) drawShot(pen, this.screen.bind(this), info.kind, spot, x, y); continue; }
      if (info.role === "hero") {
        if (this.shown.details) drawLines(pen, this.screen.bind(this), spot, x, y, this.cast.colour(info.player, info.team, true), this.colours.ink);
        heroes.push({ ...spot, track, x, y });
        continue;
      }
      if (info.role === "bomb") { this.drawBomb(pen, track, x, y, chosen); continue; }
      this.drawUnit(pen, track, x, y, spot.state, spot.health, spot.age, chosen);
    }
    for (const hero of heroes) this.drawHero(pen, hero);
    this.drawNames(pen, heroes);
    this.canvas.dataset.things = String(this.drawn.length);
  }

  private sorted: { stretch: Stretch; tracks: Track[] } | null = null;
  /** The tracks of a stretch, those to draw over others last. */
  private inOrder(stretch: Stretch): Track[] {
    if (this.sorted?.stretch !== stretch) {
      const rank: Record<string, number> = { camera: -1, resource: 0, other: 1, building: 2, unit: 3, order: 4, shot: 4, thrown: 4, bomb: 4, hero: 5 };
      this.sorted = { stretch, tracks: [...stretch.tracks].sort((a, b) => (rank[a.info.role] ?? 1) - (rank[b.info.role] ?? 1)) };
    }
    return this.sorted.tracks;
  }

  /** Draws the frame of a player's screen, or a cross at the place of the last order. */
  private drawAttention(pen: CanvasRenderingContext2D, stretch: Stretch, track: Track, tick: number, chosen: boolean): void {
    const spot = this.motion.spot(stretch, track, tick);
    if (!spot) return;
    const [x, y] = this.screen(spot.x, spot.y), { info } = track;
    pen.strokeStyle = this.cast.colour(info.player, info.team, true);
    pen.lineWidth = chosen ? 2.5 : 1.2;
    if (info.role === "camera") {
      const [width, height] = this.look.camera.map((side) => side * this.camera.zoom);
      pen.globalAlpha = chosen ? 1 : 0.75;
      pen.strokeRect(x - width / 2, y - height / 2, width, height);
      if (width > 60) {
        pen.fillStyle = pen.strokeStyle; pen.font = FONT; pen.textAlign = "left"; pen.textBaseline = "top";
        pen.fillText(this.cast.name(info.player), x - width / 2 + 4, y - height / 2 + 3);
      }
    } else {
      const share = 1 - spot.age / this.summary.rate / ORDER_SECONDS;
      if (share > 0) {
        pen.globalAlpha = 0.25 + 0.75 * share; pen.lineWidth = 2;
        cross(pen, x, y, 4);
        ring(pen, x, y, 5 + 9 * (1 - share));
        this.drawn.push({ track, x, y, radius: 5 });
      }
    }
    pen.globalAlpha = 1;
  }

  private drawBomb(pen: CanvasRenderingContext2D, track: Track, x: number, y: number, chosen: boolean): void {
    pen.strokeStyle = "#ff5a4d"; pen.lineWidth = 2.5;
    pen.beginPath(); pen.moveTo(x - 5, y); pen.lineTo(x + 5, y); pen.moveTo(x, y - 5); pen.lineTo(x, y + 5); pen.stroke();
    ring(pen, x, y, 8);
    if (chosen || this.shown.names) this.text(pen, track.info.kind, x, y + 17);
    this.drawn.push({ track, x, y, radius: 8 });
  }

  private drawUnit(pen: CanvasRenderingContext2D, track: Track, x: number, y: number, state: number, health: number,
                   age: number, chosen: boolean): void {
    const { info } = track;
    const dead = !(state & ALIVE);
    if (dead && info.role !== "building" && !this.look.inactive_units) return;
    const big = info.role === "building";
    let radius = big ? 5 : info.role === "resource" ? 2.5 : UNIT_PIXELS;
    if (info.role !== "thrown") radius *= Math.max(0.75, Math.min(2.5, (this.camera.zoom * this.look.unit_radius) / UNIT_PIXELS));
    const fade = big ? null : this.look.fade_seconds;
    pen.globalAlpha = dead ? 0.4 : fade === null ? 1 : Math.max(0.35, 1 - (age / this.summary.rate) / fade);
    pen.fillStyle = info.role === "resource" ? "#5f9fd8" : this.cast.colour(info.player, info.team, true);
    const second = this.cast.side(info.player, info.team, true) % 2 === 1;
    pen.beginPath();
    if (big) pen.rect(x - radius, y - radius, radius * 2, radius * 2);
    else if (second) { pen.moveTo(x, y - radius * 1.2); pen.lineTo(x + radius * 1.2, y); pen.lineTo(x, y + radius * 1.2); pen.lineTo(x - radius * 1.2, y); pen.closePath(); }
    else pen.arc(x, y, radius, 0, 7);
    if (dead) { pen.strokeStyle = pen.fillStyle; pen.lineWidth = 1.2; pen.stroke(); } else pen.fill();
    pen.globalAlpha = 1;
    if (big && this.shown.health && health < 0.995 && !dead) this.drawHealth(pen, x, y - radius - 5, 14, health);
    if (chosen) {
      this.drawChosen(pen, x, y, radius + 4);
      this.text(pen, this.words.name(info.kind), x, y + radius + 13);
    }
    this.drawn.push({ track, x, y, radius });
  }

  private drawHero(pen: CanvasRenderingContext2D, hero: Spot & { track: Track }): void {
    const { track, x, y, facing, health, state, detail } = hero;
    const { info } = track;
    const chosen = info.id === this.selected;
    const radius = chosen ? 9 : 7.5;
    const colour = this.cast.colour(info.player, info.team, true);
    const side = this.cast.side(info.player, info.team, true);
    pen.lineWidth = 1.5;
    if (!(state & ALIVE)) {
      pen.strokeStyle = colour; pen.globalAlpha = 0.8; pen.lineWidth = 2.5;
      cross(pen, x, y, 5);
      pen.globalAlpha = 1;
    } else {
      if (facing !== NO_FACING && !Number.isNaN(facing)) {
        const turn = this.look.y_is_down ? facing : -facing;
        const reach = state & HOOK ? 22 : state & FIRE ? 17 : 14;
        pen.strokeStyle = colour; pen.lineWidth = state & (HOOK | FIRE) ? 3 : 2;
        pen.beginPath(); pen.moveTo(x, y); pen.lineTo(x + Math.cos(turn) * reach, y + Math.sin(turn) * reach); pen.stroke();
      }
      const frozen = (state & FROZEN) !== 0;
      pen.fillStyle = frozen ? FROZEN_COLOUR : colour; pen.strokeStyle = frozen ? colour : this.colours.paper; pen.lineWidth = frozen ? 3 : 2;
      pen.beginPath();
      if (side % 2 === 1 && this.cast.sided) pen.roundRect(x - radius * 0.9, y - radius * 0.9, radius * 1.8, radius * 1.8, 3);
      else pen.arc(x, y, radius, 0, 7);
      pen.fill(); pen.stroke();
      const label = info.player === null ? "" : String(info.player);
      pen.fillStyle = "#0b0e13"; pen.font = `700 ${label.length > 2 ? 7 : 9}px system-ui, sans-serif`;
      pen.textAlign = "center"; pen.textBaseline = "middle";
      pen.fillText(label, x, y + 0.5);
      if (this.shown.health && !Number.isNaN(health)) this.drawHealth(pen, x, y - radius - 6, 20, health);
      if (this.shown.details && detail?.item) this.text(pen, detail.item, x, y - radius - 9);
    }
    if (chosen) this.drawChosen(pen, x, y, radius + 4);
    this.drawn.push({ track, x, y, radius });
  }
  /** Draws names over all things, below their owners, or above if there is no room; the chosen one is first. */
  private drawNames(pen: CanvasRenderingContext2D, heroes: { track: Track; x: number; y: number }[]): void {
    const taken = heroes.map(({ x, y }) => [x - 7, y - 7, x + 7, y + 7]);
    const order = [...heroes].sort((one, two) => Number(two.track.info.id === this.selected) - Number(one.track.info.id === this.selected));
    pen.font = FONT;
    for (const { track: { info }, x, y } of order) {
      const chosen = info.id === this.selected;
      if (!this.shown.names && !chosen) continue;
      const full = this.cast.player(info.player)?.name || info.name || this.words.name(info.kind);
      const name = full.length > 18 ? `${[...full].slice(0, 17).join("")}…` : full;
      const half = this.nameWidth(pen, name) / 2 + 1;
      for (const below of NAME_PLACES) {
        const box = [x - half, y + below - 6, x + half, y + below + 6];
        if (!chosen && taken.some(([left, top, right, low]) => left < box[2] && right > box[0] && top < box[3] && low > box[1])) continue;
        taken.push(box);
        this.text(pen, name, x, y + below);
        break;
      }
    }
  }
  private readonly widths = new Map<string, number>();
  private nameWidth(pen: CanvasRenderingContext2D, name: string): number {
    const known = this.widths.get(name) ?? pen.measureText(name).width;
    this.widths.set(name, known);
    return known;
  }
  private text(pen: CanvasRenderingContext2D, text: string, x: number, y: number): void {
    pen.font = FONT;
    pen.textAlign = "center"; pen.textBaseline = "middle"; pen.lineJoin = "round";
    pen.strokeStyle = this.colours.paper; pen.lineWidth = 3; pen.strokeText(text, x, y);
    pen.fillStyle = this.colours.ink; pen.fillText(text, x, y);
  }
  private drawChosen(pen: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
    pen.strokeStyle = this.colours.ink; pen.lineWidth = 2;
    ring(pen, x, y, radius);
  }
  private drawHealth(pen: CanvasRenderingContext2D, x: number, y: number, width: number, health: number): void {
    pen.fillStyle = "#0008"; pen.fillRect(x - width / 2 - 1, y - 1, width + 2, 5);
    pen.fillStyle = health > 0.5 ? "#7ddc8f" : health > 0.25 ? "#f0d060" : "#ff8a70";
    pen.fillRect(x - width / 2, y, width * health, 3);
  }
  private drawTrail(pen: CanvasRenderingContext2D, stretch: Stretch, track: Track, tick: number, chosen: boolean): void {
    const from = tick - TRAIL_SECONDS * (chosen ? 2 : 1) * this.summary.rate;
    const before = this.motion.previous(stretch)?.byId.get(track.info.id);
    pen.strokeStyle = this.cast.colour(track.info.player, track.info.team, true);
    pen.lineWidth = chosen ? 2.5 : 1.5; pen.globalAlpha = chosen ? 0.8 : 0.45;
    pen.beginPath();
    let open = false, lastX = 0, lastY = 0, drawnX = 0, drawnY = 0;
    const far = Math.max(0.18 * Math.max(this.width, this.height) / this.camera.zoom, track.info.role === "thrown" ? this.summary.jump_distance : 0);
    for (const part of [before, track]) {
      if (!part) continue;
      for (let row = Math.max(0, part.before(from)); row < part.tick.length && part.tick[row] <= tick; row++) {
        if (Number.isNaN(part.x[row])) { open = false; continue; }
        if (open && Math.hypot(part.x[row] - lastX, part.y[row] - lastY) > far) open = false;
        const [x, y] = this.screen(part.x[row], part.y[row]);
        if (open && Math.abs(x - drawnX) + Math.abs(y - drawnY) < 2) { lastX = part.x[row]; lastY = part.y[row]; continue; }
        if (open) pen.lineTo(x, y); else pen.moveTo(x, y);
        drawnX = x; drawnY = y;
        open = true; lastX = part.x[row]; lastY = part.y[row];
      }
    }
    const spot = this.motion.spot(stretch, track, tick);
    if (open && spot) pen.lineTo(...this.screen(spot.x, spot.y));
    pen.stroke();
    pen.globalAlpha = 1;
  }
}
