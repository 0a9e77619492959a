// The things on the map: paths, trails, screens and orders, units, heroes, and their names.
import type { Lens } from "./camera";
import type { Cast } from "./cast";
import type { Path, Presentation, Summary } from "./data";
import { drawLines, drawShot, FROZEN_COLOUR } from "./details";
import { drawCone, type EffectsLayer } from "./effects";
import type { GroundLayer } from "./ground";
import { type Box, Labels } from "./labels";
import { SHOWN } from "./layers";
import {
  ALIVE,
  FIRE,
  FROZEN,
  HOOK,
  type Motion,
  NO_FACING,
  SEEN_BY_FIRST,
  SEEN_BY_SECOND,
  type Spot,
  type Stretch,
  type Track,
} from "./motion";
import { cross, lines, ring } from "./shapes";
import type { Words } from "./words";
import { joined } from "./words";

const TRAIL_SECONDS = 5;
const UNIT_PIXELS = 3;

/** Seconds after which the place of an order is not drawn any more. */
const ORDER_SECONDS = 5;
interface Drawn {
  track: Track;
  x: number;
  y: number;
  radius: number;
}

export class ThingsLayer {
  shown = SHOWN;
  hidden = new Set<number>();
  selected: string | null = null;
  path: Path | null = null;
  #drawn: Drawn[] = [];
  get count(): number {
    return this.#drawn.length;
  }

  readonly #lens: Lens;
  readonly #summary: Summary;
  readonly #cast: Cast;
  readonly #words: Words;
  readonly #motion: Motion;
  readonly #ground: GroundLayer;
  readonly #effects: EffectsLayer;

  constructor(
    lens: Lens,
    summary: Summary,
    cast: Cast,
    words: Words,
    motion: Motion,
    ground: GroundLayer,
    effects: EffectsLayer,
  ) {
    this.#lens = lens;
    this.#summary = summary;
    this.#cast = cast;
    this.#words = words;
    this.#motion = motion;
    this.#ground = ground;
    this.#effects = effects;
    this.#look = summary.presentation.map;
    this.labels = new Labels(lens, () => ground.colours);
  }
  readonly labels: Labels;
  readonly #look: Presentation["map"];

  /** The thing that is drawn nearest to a place on the canvas, if it is near. */
  nearest(x: number, y: number): Track | null {
    let best: Track | null = null,
      distance = 18;
    for (const each of this.#drawn) {
      const away = Math.hypot(each.x - x, each.y - y) - each.radius - (each.track.info.role === "hero" ? 4 : 0);
      if (away < distance) {
        distance = away;
        best = each.track;
      }
    }
    return best;
  }

  /** What is near a place on the canvas, in words: name and side, what it is, health, and what it holds; else a mark of
   * the ground. */
  told(x: number, y: number, stretch: Stretch, tick: number): string[] {
    const track = this.nearest(x, y);
    if (!track) {
      const mark = this.#ground.markAt(x, y);
      return mark ? [joined([this.#words.name(mark[0]), mark[3] === null ? "" : this.#cast.teamName(mark[3])])] : [];
    }
    const { info } = track,
      spot = this.#motion.spot(stretch, track, tick);
    const owner = info.player === null ? "" : this.#cast.name(info.player),
      character = this.#cast.player(info.player)?.character ?? "",
      kind = this.#words.name(owner && info.role === "hero" ? character : info.kind);
    const side = spot?.team != null && this.#cast.sided ? this.#cast.teamName(spot.team) : "";
    const dead = spot !== null && !(spot.state & ALIVE);
    const facts = [
      dead ? (info.role === "hero" ? "dead" : "not finished, or dead") : "",
      spot && !dead && !Number.isNaN(spot.health) ? `${Math.round(100 * spot.health)} % health` : "",
      spot?.detail?.item ?? "",
      spot && spot.state & FROZEN ? "frozen" : "",
    ];
    return [
      [owner || kind, side === owner ? "" : side],
      [owner ? kind : "", ...facts],
    ]
      .map((line) => joined([...new Set(line)]))
      .filter(Boolean);
  }

  /** Whether the team whose view is shown does not see something now. A team remembers buildings. */
  #unseen(track: Track, { state, team }: Spot): boolean {
    const { sight } = this.shown;
    if (sight === null || track.info.role === "building" || team === sight) return false;
    return !(state & (sight === this.#summary.sight_teams[0] ? SEEN_BY_FIRST : SEEN_BY_SECOND));
  }

  #drawPath(pen: CanvasRenderingContext2D, stretch: Stretch, tick: number): void {
    const chosen = (this.selected && stretch.byId.get(this.selected)) || null;
    const owner = chosen?.info.player ?? null;
    let path: { tick: ArrayLike<number>; x: ArrayLike<number>; y: ArrayLike<number> } | null =
      this.path?.player === owner ? this.path : null;
    if (!path && stretch.number === 0 && this.#motion.last === 0) path = chosen; // a report has no other paths
    if (!path?.tick.length) return;
    const bounds = this.#ground.ground?.bounds;
    const far = bounds ? Math.max(bounds[1] - bounds[0], bounds[3] - bounds[2]) / 8 : Infinity;
    pen.strokeStyle = this.#cast.colour(owner, chosen?.teamAt(chosen.before(tick)) ?? null);
    pen.globalAlpha = 0.55;
    pen.lineWidth = 1.2;
    pen.beginPath();
    for (let row = 0; row < path.tick.length; row++) {
      if (Number.isNaN(path.x[row])) continue;
      const [x, y] = this.#lens.screen(path.x[row], path.y[row]);
      if (row && Math.hypot(path.x[row] - path.x[row - 1], path.y[row] - path.y[row - 1]) < far) pen.lineTo(x, y);
      else pen.moveTo(x, y);
    }
    pen.stroke();
    pen.globalAlpha = 1;
  }

  draw(pen: CanvasRenderingContext2D, stretch: Stretch, tick: number): void {
    this.#drawn = [];
    this.#screens = [];
    if (this.shown.path) this.#drawPath(pen, stretch, tick);
    const heroes: (Spot & { track: Track })[] = [],
      bombs: typeof heroes = [];
    for (const track of this.#inOrder(stretch)) {
      const { info } = track;
      const chosen = info.id === this.selected;
      if (info.player !== null && this.hidden.has(info.player)) continue;
      if (info.role === "camera" || info.role === "order") {
        if (info.role === "camera" ? this.shown.cameras || chosen : this.shown.orders)
          this.#drawAttention(pen, stretch, track, tick, chosen);
        continue;
      }
      if (!this.shown.units && info.role !== "hero" && !chosen) continue;
      const spot = this.#motion.spot(stretch, track, tick);
      if (!spot) continue;
      if (this.#unseen(track, spot)) continue;
      const [x, y] = this.#lens.screen(spot.x, spot.y);
      if ((info.role === "hero" && (this.shown.trails || chosen)) || info.role === "thrown")
        this.#drawTrail(pen, stretch, track, tick, chosen);
      const beam = info.role === "shot" && spot.detail && !Number.isNaN(spot.detail.toX);
      if (!beam && !this.#lens.shows(x, y, 30)) continue;
      if (info.role === "shot") {
        if (this.shown.details) drawShot(pen, this.#lens.screen, info.kind, spot, x, y);
        continue;
      }
      if (info.role === "hero") {
        if (this.shown.details)
          drawLines(
            pen,
            this.#lens.screen,
            spot,
            x,
            y,
            this.#cast.colour(info.player, spot.team, true),
            this.#ground.colours.ink,
          );
        heroes.push({ ...spot, track, x, y });
        continue;
      }
      if (info.role === "bomb") {
        this.#drawBomb(pen, track, x, y);
        bombs.push({ ...spot, track, x, y });
        continue;
      }
      this.#drawUnit(pen, { ...spot, track, x, y }, chosen);
    }
    if (this.shown.effects) this.#effects.draw(pen, tick);
    for (const hero of heroes) this.#drawHero(pen, hero);
    this.#drawNames(pen, heroes, bombs);
  }

  /** Names of players' screens, their frames, and whether they are of a second side: two players look at a fight. */
  #screens: [string, Box, boolean, string][] = [];
  #sorted: { stretch: Stretch; tracks: Track[] } | null = null;
  /** The tracks of a stretch, those to draw over others last. */
  #inOrder(stretch: Stretch): Track[] {
    if (this.#sorted?.stretch !== stretch) {
      const rank: Record<string, number> = {
        camera: -1,
        resource: 0,
        other: 1,
        building: 2,
        unit: 3,
        order: 4,
        shot: 4,
        thrown: 4,
        bomb: 4,
        hero: 5,
      };
      this.#sorted = {
        stretch,
        tracks: [...stretch.tracks].sort((a, b) => (rank[a.info.role] ?? 1) - (rank[b.info.role] ?? 1)),
      };
    }
    return this.#sorted.tracks;
  }

  /** Draws the frame of a player's screen, or a cross at the place of the last order. */
  #drawAttention(pen: CanvasRenderingContext2D, stretch: Stretch, track: Track, tick: number, chosen: boolean): void {
    const spot = this.#motion.spot(stretch, track, tick);
    if (!spot) return;
    const [x, y] = this.#lens.screen(spot.x, spot.y),
      { info } = track;
    pen.strokeStyle = this.#cast.colour(info.player, spot.team, true);
    pen.lineWidth = chosen ? 2.5 : 1.2;
    if (info.role === "camera") {
      const [width, height] = this.#look.camera.map((side) => side * this.#lens.camera.zoom);
      pen.globalAlpha = chosen ? 1 : 0.75;
      pen.strokeRect(x - width / 2, y - height / 2, width, height);
      const second = this.#cast.side(info.player, spot.team, true) % 2 === 1;
      const frame: Box = [x - width / 2, y - height / 2, x + width / 2, y + height / 2];
      this.#screens.push([this.#cast.name(info.player), frame, second, this.#cast.text(String(pen.strokeStyle))]);
    } else {
      const share = 1 - spot.age / this.#summary.rate / ORDER_SECONDS;
      if (share > 0) {
        pen.globalAlpha = 0.25 + 0.75 * share;
        pen.lineWidth = 2;
        cross(pen, x, y, 4);
        ring(pen, x, y, 5 + 9 * (1 - share));
        this.#drawn.push({ track, x, y, radius: 5 });
      }
    }
    pen.globalAlpha = 1;
  }

  #drawBomb(pen: CanvasRenderingContext2D, track: Track, x: number, y: number): void {
    pen.strokeStyle = "#ff5a4d";
    pen.lineWidth = 2.5;
    lines(pen, [x - 5, y, x + 5, y], [x, y - 5, x, y + 5]);
    ring(pen, x, y, 8);
    this.#drawn.push({ track, x, y, radius: 8 });
  }

  #drawUnit(pen: CanvasRenderingContext2D, unit: Spot & { track: Track }, chosen: boolean): void {
    const { track, x, y, state, health, age, team } = unit;
    const { info } = track;
    const dead = !(state & ALIVE);
    if (dead && info.role !== "building" && !this.#look.inactive_units) return;
    const big = info.role === "building";
    let radius = big ? 5 : info.role === "resource" ? 2.5 : UNIT_PIXELS;
    if (info.role !== "thrown")
      radius *= Math.max(0.75, Math.min(2.5, (this.#lens.camera.zoom * this.#look.unit_radius) / UNIT_PIXELS));
    const fade = big ? null : this.#look.fade_seconds;
    pen.globalAlpha = dead ? 0.4 : fade === null ? 1 : Math.max(0.35, 1 - age / this.#summary.rate / fade);
    pen.fillStyle = info.role === "resource" ? "#5f9fd8" : this.#cast.colour(info.player, team, true);
    const second = this.#cast.side(info.player, team, true) % 2 === 1;
    pen.beginPath();
    if (big) pen.rect(x - radius, y - radius, radius * 2, radius * 2);
    else if (second) {
      const far = radius * 1.2;
      pen.moveTo(x, y - far);
      pen.lineTo(x + far, y);
      pen.lineTo(x, y + far);
      pen.lineTo(x - far, y);
      pen.closePath();
    } else pen.arc(x, y, radius, 0, 7);
    if (dead) {
      pen.strokeStyle = pen.fillStyle;
      pen.lineWidth = 1.2;
      pen.stroke();
    } else pen.fill();
    pen.globalAlpha = 1;
    if (big && this.shown.health && health < 0.995 && !dead) this.#drawHealth(pen, x, y - radius - 5, 14, health);
    if (chosen) {
      this.#drawChosen(pen, x, y, radius + 4);
      this.labels.write(pen, this.#words.name(info.kind), x, y + radius + 13);
    }
    this.#drawn.push({ track, x, y, radius });
  }

  #drawHero(pen: CanvasRenderingContext2D, hero: Spot & { track: Track }): void {
    const { track, x, y, facing, health, state, team } = hero;
    const { info } = track;
    const chosen = info.id === this.selected;
    const radius = chosen ? 9 : 7.5;
    const colour = this.#cast.colour(info.player, team, true);
    const side = this.#cast.side(info.player, team, true);
    pen.lineWidth = 1.5;
    if (!(state & ALIVE)) {
      pen.strokeStyle = colour;
      pen.globalAlpha = 0.8;
      pen.lineWidth = 2.5;
      cross(pen, x, y, 5);
      pen.globalAlpha = 1;
    } else {
      if (facing !== NO_FACING && !Number.isNaN(facing)) {
        const turn = this.#look.y_is_down ? facing : -facing;
        const [degrees, far] = this.#look.cone;
        if (degrees && this.shown.cones) drawCone(pen, x, y, turn, [degrees, far * this.#lens.camera.zoom], colour);
        const reach = state & HOOK ? 22 : state & FIRE ? 17 : 14;
        pen.strokeStyle = colour;
        pen.lineWidth = state & (HOOK | FIRE) ? 3 : 2;
        lines(pen, [x, y, x + Math.cos(turn) * reach, y + Math.sin(turn) * reach]);
      }
      const frozen = (state & FROZEN) !== 0;
      pen.fillStyle = frozen ? FROZEN_COLOUR : colour;
      pen.strokeStyle = frozen ? colour : this.#ground.colours.paper;
      pen.lineWidth = frozen ? 3 : 2;
      pen.beginPath();
      if (side % 2 === 1 && this.#cast.sided)
        pen.roundRect(x - radius * 0.9, y - radius * 0.9, radius * 1.8, radius * 1.8, 3);
      else pen.arc(x, y, radius, 0, 7);
      pen.fill();
      pen.stroke();
      const label = info.player === null ? "" : String(info.player);
      pen.fillStyle = "#0b0e13";
      pen.font = `700 ${label.length > 2 ? 7 : 9}px system-ui, sans-serif`;
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      pen.fillText(label, x, y + 0.5);
      if (this.shown.health && !Number.isNaN(health)) this.#drawHealth(pen, x, y - radius - 6, 20, health);
    }
    if (chosen) this.#drawChosen(pen, x, y, radius + 4);
    this.#drawn.push({ track, x, y, radius });
  }
  /** Draws names over all things, and then what their owners hold; the chosen one is first. */
  #drawNames(
    pen: CanvasRenderingContext2D,
    heroes: (Spot & { track: Track })[],
    bombs: (Spot & { track: Track })[],
  ): void {
    const { labels } = this;
    const taken = this.#drawn.map(({ x, y, radius }): Box => [x - radius, y - radius, x + radius, y + radius]);
    for (const { x, y } of heroes) taken.push([x - 10, y - 15, x + 10, y - 8]); // health
    const effects = this.shown.effects ? this.#effects.texts : [];
    for (const [, x, y] of effects) taken.push([x - 14, y - 6, x + 14, y + 6]);
    for (const [, x, y, half] of this.#ground.named) taken.push([x - half, y - 6, x + half, y + 6]);
    labels.begin(pen, taken);
    for (const [text, x, y] of this.#ground.named) labels.write(pen, text, x, y, this.#ground.colours.dim);
    for (const [text, x, y] of effects) labels.write(pen, text, x, y);
    const isChosen = ({ track }: { track: Track }): boolean => track.info.id === this.selected;
    const rank = (hero: Spot & { track: Track }): number => (isChosen(hero) ? 2 : hero.state & ALIVE ? 1 : 0);
    const order = [...heroes].sort((one, two) => rank(two) - rank(one)),
      named = new Set<string>();
    for (const hero of order) {
      const { info } = hero.track;
      if (!this.shown.names && !isChosen(hero)) continue;
      const full = this.#cast.player(info.player)?.name || info.name || this.#words.name(info.kind);
      const short = full.length > 18 ? `${[...full].slice(0, 17).join("")}…` : full;
      named.add(full);
      labels.name(
        pen,
        short,
        hero.x,
        hero.y,
        isChosen(hero),
        this.#cast.text(this.#cast.colour(info.player, hero.team, true)),
      );
    }
    // A screen is named where its player has no place.
    for (const [name, ...more] of this.#screens) if (!named.has(name)) labels.corner(pen, name, ...more);
    for (const { track, x, y } of this.shown.names ? bombs : []) labels.name(pen, track.info.kind, x, y, false);
    if (!this.shown.details) return;
    for (const hero of order) {
      const { x, y, state, detail } = hero;
      if (detail?.item && state & ALIVE) labels.place(pen, detail.item, [[x, y - 17]], isChosen(hero));
    }
  }
  #drawChosen(pen: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
    pen.strokeStyle = this.#ground.colours.ink;
    pen.lineWidth = 2;
    ring(pen, x, y, radius);
  }
  #drawHealth(pen: CanvasRenderingContext2D, x: number, y: number, width: number, health: number): void {
    pen.fillStyle = "#0008";
    pen.fillRect(x - width / 2 - 1, y - 1, width + 2, 5);
    pen.fillStyle = health > 0.5 ? "#7ddc8f" : health > 0.25 ? "#f0d060" : "#ff8a70";
    pen.fillRect(x - width / 2, y, width * health, 3);
  }
  #drawTrail(pen: CanvasRenderingContext2D, stretch: Stretch, track: Track, tick: number, chosen: boolean): void {
    const from = tick - TRAIL_SECONDS * (chosen ? 2 : 1) * this.#summary.rate;
    const before = this.#motion.previous(stretch)?.byId.get(track.info.id);
    pen.strokeStyle = this.#cast.colour(track.info.player, track.teamAt(track.before(tick)), true);
    pen.lineWidth = chosen ? 2.5 : 1.5;
    pen.globalAlpha = chosen ? 0.8 : 0.45;
    pen.beginPath();
    let open = false,
      lastX = 0,
      lastY = 0,
      drawnX = 0,
      drawnY = 0;
    const far = Math.max(
      (0.18 * Math.max(this.#lens.width, this.#lens.height)) / this.#lens.camera.zoom,
      track.info.role === "thrown" ? this.#summary.jump_distance : 0,
    );
    for (const part of [before, track]) {
      if (!part) continue;
      for (let row = Math.max(0, part.before(from)); row < part.tick.length && part.tick[row] <= tick; row++) {
        if (Number.isNaN(part.x[row])) {
          open = false;
          continue;
        }
        if (open && Math.hypot(part.x[row] - lastX, part.y[row] - lastY) > far) open = false;
        const [x, y] = this.#lens.screen(part.x[row], part.y[row]);
        if (open && Math.abs(x - drawnX) + Math.abs(y - drawnY) < 2) {
          lastX = part.x[row];
          lastY = part.y[row];
          continue;
        }
        if (open) pen.lineTo(x, y);
        else pen.moveTo(x, y);
        drawnX = x;
        drawnY = y;
        open = true;
        lastX = part.x[row];
        lastY = part.y[row];
      }
    }
    const spot = this.#motion.spot(stretch, track, tick);
    if (open && spot) pen.lineTo(...this.#lens.screen(spot.x, spot.y));
    pen.stroke();
    pen.globalAlpha = 1;
  }
}
