// The ground of the map: picture or tiles or a grid, marks, and heat. It is drawn again only if camera, size or layers change.
import type { Lens } from "./camera";
import type { Cast } from "./cast";
import type { Ground, Heat, MarkStyle, Presentation } from "./data";
import type { Shown } from "./layers";
import { roundStep } from "./plot";
import { begun } from "./settled";
import { disc, type Line, lines } from "./shapes";

const PLAIN_MARK: MarkStyle = { shape: "outline", size: 1.3, colour: null };

export interface Colours {
  ink: string;
  paper: string;
  dim: string;
  tree: string;
  tile: string;
  grid: string;
  relief: string;
}

export class GroundLayer {
  ground: Ground | null = null;
  /** The written names of places: text, middle, half of the width. */
  readonly named: [string, number, number, number][] = [];
  heat: Heat | null = null;
  colours: Colours = { ink: "#fff", paper: "#000", dim: "#888", tree: "#355", tile: "#345", grid: "#222", relief: "1" };
  readonly canvas: HTMLCanvasElement = document.createElement("canvas");
  #picture: HTMLImageElement | null = null;
  #key = "";

  readonly #lens: Lens;
  readonly #look: Presentation["map"];
  readonly #cast: Cast;

  constructor(lens: Lens, look: Presentation["map"], cast: Cast) {
    this.#lens = lens;
    this.#look = look;
    this.#cast = cast;
  }

  again(): void {
    this.#key = "";
  }
  /** Sets the ground; calls back when its picture is loaded. */
  set(ground: Ground, loaded: () => void): void {
    this.ground = ground;
    if (!ground.picture) return;
    const image = new Image(),
      end = begun();
    image.onload = () => {
      this.#picture = image;
      loaded();
      end();
    };
    image.onerror = end;
    image.src = ground.picture.url;
  }

  draw(width: number, height: number, ratio: number, shown: Shown): void {
    const { canvas, colours, ground } = this,
      { camera } = this.#lens;
    const key = `${camera.x}|${camera.y}|${camera.zoom}|${width}|${height}|${shown.heat}|${shown.picture}`;
    if (key === this.#key) return;
    this.#key = key;
    canvas.width = width;
    canvas.height = height;
    const pen = canvas.getContext("2d");
    if (!pen) return;
    pen.scale(ratio, ratio);
    pen.fillStyle = colours.paper;
    pen.fillRect(0, 0, this.#lens.width, this.#lens.height);
    if (this.#picture && shown.picture) this.#drawPicture(pen);
    else if (ground?.tiles.length && this.#look.tile) {
      pen.fillStyle = colours.tile;
      const side = this.#look.tile,
        size = side * camera.zoom;
      for (const [x, y] of ground.tiles) {
        const [left, top] = this.#lens.screen(x * side, y * side);
        if (left > -size && top > -size && left < this.#lens.width && top < this.#lens.height)
          pen.fillRect(left, top, size + 0.6, size + 0.6);
      }
    } else this.#drawGrid(pen);
    this.named.length = 0;
    for (const [kind, x, y, team, label] of ground?.marks ?? []) {
      const [left, top] = this.#lens.screen(x, y);
      if (!this.#lens.shows(left, top, 20)) continue;
      this.#drawMark(pen, kind, left, top, team);
      pen.fillStyle = colours.dim;
      pen.font = "600 11px system-ui, sans-serif";
      pen.textAlign = "center";
      const half = label ? pen.measureText(label).width / 2 : 0;
      if (!label) continue;
      const middle = Math.max(half, Math.min(this.#lens.width - half, left));
      // Of several on each other, the first is written.
      if (this.named.some(([, x, y, other]) => Math.abs(x - middle) < half + other && Math.abs(y - top - 11) < 12))
        continue;
      this.named.push([label, middle, top + 11, half]);
      pen.fillText(label, middle, top + 15);
    }
    if (shown.heat && this.heat) {
      const { cell, cells } = this.heat;
      const size = cell * camera.zoom;
      const most = Math.log1p(cells.reduce((high, each) => Math.max(high, each[2]), 1));
      for (const [x, y, count] of cells) {
        const corner = this.#lens.screen(x * cell, y * cell);
        const share = Math.log1p(count) / most;
        pen.fillStyle = `hsla(${Math.round(275 - 225 * share)}, 90%, ${Math.round(35 + 25 * share)}%, ${0.15 + 0.6 * share})`;
        pen.fillRect(corner[0], this.#look.y_is_down ? corner[1] : corner[1] - size, size + 0.5, size + 0.5);
      }
    }
  }
  /** The mark near a place on the canvas. */
  markAt(x: number, y: number): Ground["marks"][number] | null {
    const near = (mark: Ground["marks"][number]): number => {
      const [left, top] = this.#lens.screen(mark[1], mark[2]);
      return Math.hypot(left - x, top - y);
    };
    const marks = this.ground?.marks ?? [];
    const best = marks.reduce<(typeof marks)[number] | null>(
      (found, each) => (!found || near(each) < near(found) ? each : found),
      null,
    );
    return best && near(best) < 12 ? best : null;
  }
  #drawPicture(pen: CanvasRenderingContext2D): void {
    const picture = this.#picture,
      { ground } = this;
    const [left, right, low, high] = ground?.picture?.bounds ?? ground?.bounds ?? [0, 1, 0, 1];
    const [x0, y0] = this.#lens.screen(left, this.#look.y_is_down ? low : high),
      [x1, y1] = this.#lens.screen(right, this.#look.y_is_down ? high : low);
    pen.imageSmoothingEnabled = ground?.picture?.smooth ?? true;
    if (ground?.picture?.drawn) pen.globalAlpha = Number(this.colours.relief);
    if (picture) pen.drawImage(picture, x0, y0, x1 - x0, y1 - y0);
    pen.globalAlpha = 1;
  }
  #drawGrid(pen: CanvasRenderingContext2D): void {
    const step = roundStep(80 / this.#lens.camera.zoom);
    const [x0, y0] = this.#lens.world(0, 0),
      [x1, y1] = this.#lens.world(this.#lens.width, this.#lens.height);
    pen.strokeStyle = this.colours.grid;
    pen.lineWidth = 1;
    const all: Line[] = [];
    for (let x = Math.ceil(Math.min(x0, x1) / step) * step; x <= Math.max(x0, x1); x += step) {
      const left = Math.round(this.#lens.screen(x, 0)[0]) + 0.5;
      all.push([left, 0, left, this.#lens.height]);
    }
    for (let y = Math.ceil(Math.min(y0, y1) / step) * step; y <= Math.max(y0, y1); y += step) {
      const top = Math.round(this.#lens.screen(0, y)[1]) + 0.5;
      all.push([0, top, this.#lens.width, top]);
    }
    lines(pen, ...all);
  }
  #drawMark(pen: CanvasRenderingContext2D, kind: string, x: number, y: number, team: number | null): void {
    const unit = Math.max(1, Math.min(9, this.#lens.camera.zoom * this.#look.mark_radius));
    const { shape, size, colour } = this.#look.mark_styles[kind] ?? PLAIN_MARK;
    const half = unit * size;
    const own =
      colour === null ? this.#cast.colour(null, team) : (this.colours[colour as keyof typeof this.colours] ?? colour);
    if (shape === "disc") {
      pen.fillStyle = own;
      disc(pen, x, y, half);
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
}
