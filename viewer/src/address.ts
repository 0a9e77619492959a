// The part of the address after the #: it holds everything that a link to a moment needs.
import type { Camera } from "./map";

export interface Place {
  match: number | null; tick: number; tab: string | null; table: string | null; selected: string | null; camera: Camera | null;
  bookmarks: number[]; kinds: string[] | null;
}

export function placeOf(hash: string): Place {
  const query = new URLSearchParams(hash.replace(/^#/, ""));
  const numbers = (name: string): number[] => (query.get(name) ?? "").split(",").filter(Boolean).map(Number);
  const camera = numbers("cam"), tick = Number(query.get("t"));
  return {
    match: query.has("m") ? Number(query.get("m")) : null,
    tick: Number.isFinite(tick) ? tick : 0,
    tab: query.get("tab"),
    table: query.get("table"),
    selected: query.get("sel"),
    camera: camera.length === 3 && camera.every(Number.isFinite) ? { x: camera[0], y: camera[1], zoom: camera[2] } : null,
    bookmarks: numbers("b").filter(Number.isFinite),
    kinds: query.get("kinds")?.split(",") ?? null,
  };
}

export function addressOf(place: Place): string {
  const query = new URLSearchParams();
  const { camera } = place;
  if (place.match !== null) query.set("m", String(place.match));
  query.set("t", String(place.tick));
  if (place.tab) query.set("tab", place.tab);
  if (place.table) query.set("table", place.table);
  if (place.selected) query.set("sel", place.selected);
  if (camera) query.set("cam", [camera.x.toFixed(1), camera.y.toFixed(1), camera.zoom.toPrecision(4)].join());
  if (place.bookmarks.length) query.set("b", place.bookmarks.join());
  if (place.kinds) query.set("kinds", place.kinds.join());
  return `#${query}`;
}
