import { useCallback, useEffect, useRef } from "preact/hooks";
import { addressOf, type Place } from "../address";
import type { MapView } from "../map";
import type { Playback } from "../playback";
import { useLatest } from "./latest";

type Shown = Omit<Place, "tick" | "selected" | "camera" | "speed">;

/** Keeps the address up to date; returns a function that writes it now. */
export function useAddress(
  start: Place,
  shown: Shown,
  playback: Playback,
  map: MapView | null,
  onCamera: (map: MapView) => void,
): () => void {
  const latest = useLatest({ shown, onCamera });
  const moved = useRef(start.camera !== null);
  const write = useCallback(() => {
    const place: Place = {
      ...latest.current.shown,
      tick: Math.floor(playback.tick),
      selected: map?.selected ?? null,
      camera: moved.current ? (map?.camera ?? null) : null,
      speed: playback.speed === 1 ? null : playback.speed,
    };
    // A frame without an origin, as in notebooks, has no address of its own.
    if (location.origin !== "null" || location.protocol === "file:") history.replaceState(null, "", addressOf(place));
  }, [latest, playback, map]);
  useEffect(() => {
    if (map)
      map.onCamera = () => {
        moved.current = true;
        latest.current.onCamera(map);
        write();
      };
  }, [map, latest, write]);
  return write;
}
