// The part of the address after the #: it holds everything that is seen, so that a link shows the same to others.
import type { Camera } from "./camera";

/** From the first to the last tick of a part of the recording. */
export type Range = [number, number];

/** A range that begins or ends at a tick; the other end stays if it can, or else is that of the recording. */
export function rangeAt(range: Range | null, tick: number, end: "first" | "last", [first, last]: Range): Range | null {
  const found: Range =
    end === "first"
      ? [tick, range && range[1] > tick ? range[1] : last]
      : [range && range[0] < tick ? range[0] : first, tick];
  return found[0] < found[1] ? found : null;
}

export interface Place {
  match: number | null;
  /** The recording beside it. */
  beside: number | null;
  tick: number | null;
  tab: string | null;
  table: string | null;
  selected: string | null;
  camera: Camera | null;
  bookmarks: number[];
  kinds: string[] | null;
  /** Layers of the map that are not as they are at first. */
  layers: string[];
  sight: number | null;
  curve: string | null;
  follow: boolean;
  hidden: number[];
  sql: string | null;
  search: string;
  rows: string;
  sort: string | null;
  range: Range | null;
  span: Range | null;
  speed: number | null;
  board: string | null;
  /** The choice of rounds that are laid over each other, as `textOf` of overlay.ts. */
  over: string;
  /** Whether results are hidden. */
  quiet: boolean;
  /** What was drawn on the map, as `inkText` writes it. */
  ink: string;
}

export function placeOf(hash: string): Place {
  const query = new URLSearchParams(hash.replace(/^#/, ""));
  const number = (name: string): number | null => {
    const text = query.get(name);
    return text?.trim() && Number.isFinite(Number(text)) ? Number(text) : null;
  };
  const texts = (name: string): string[] => (query.get(name) ?? "").split(",").filter(Boolean);
  const numbers = (name: string): number[] => texts(name).map(Number).filter(Number.isFinite);
  const range = (name: string): Range | null => {
    const [first, last, ...more] = numbers(name);
    return last === undefined || more.length || first >= last ? null : [first, last];
  };
  const camera = numbers("cam");
  return {
    match: number("m"),
    beside: number("with"),
    tick: number("t"),
    tab: query.get("tab"),
    table: query.get("table"),
    selected: query.get("sel"),
    camera: camera.length === 3 && camera[2] > 0 ? { x: camera[0], y: camera[1], zoom: camera[2] } : null,
    bookmarks: numbers("b"),
    kinds: query.get("kinds")?.split(",") ?? null,
    layers: texts("layers"),
    sight: number("sight"),
    curve: query.get("curve"),
    follow: query.has("follow"),
    hidden: numbers("hide"),
    sql: query.get("sql"),
    search: query.get("find") ?? "",
    rows: query.get("rows") ?? "",
    sort: query.get("sort"),
    range: range("range"),
    span: range("span"),
    speed: number("speed"),
    board: query.get("board"),
    over: query.get("over") ?? "",
    quiet: query.has("quiet"),
    ink: query.get("ink") ?? "",
  };
}

/** The place that the page opens: of its address, or of a report inside another page. */
export function startingPlace(): Place {
  return placeOf(location.hash || decodeURIComponent(document.getElementById("page")?.dataset.place ?? ""));
}

export function addressOf(place: Place): string {
  const query = new URLSearchParams();
  const { camera } = place;
  const set = (name: string, value: string | number | null | undefined): void => {
    if (value !== null && value !== undefined && value !== "") query.set(name, String(value));
  };
  set("m", place.match);
  set("with", place.beside);
  set("t", place.tick);
  set("tab", place.tab);
  set("table", place.table);
  set("sel", place.selected);
  set("cam", camera && [camera.x.toFixed(1), camera.y.toFixed(1), camera.zoom.toPrecision(4)].join());
  set("b", place.bookmarks.join());
  set("kinds", place.kinds?.join());
  set("layers", place.layers.join());
  set("sight", place.sight);
  set("curve", place.curve);
  set("follow", place.follow ? 1 : null);
  set("hide", place.hidden.join());
  set("sql", place.sql);
  set("find", place.search);
  set("rows", place.rows);
  set("sort", place.sort);
  set("range", place.range?.join());
  set("span", place.span?.join());
  set("speed", place.speed);
  set("board", place.board);
  set("over", place.over);
  set("quiet", place.quiet ? 1 : null);
  set("ink", place.ink);
  return `#${query}`;
}
