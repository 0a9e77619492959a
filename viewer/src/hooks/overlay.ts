// What the overlay of rounds holds: its answers, the chosen rounds, and its own playhead.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Entry } from "../data";
import type { Controls } from "../keys";
import type { MapView } from "../map";
import {
  type Choice,
  choiceOf,
  type Chosen,
  chosenOf,
  firstChoice,
  type Laid,
  MOST,
  OverlayLayer,
  textOf,
} from "../overlay";
import { Playback } from "../playback";
import type { Shared } from "../shared";
import type { Choose } from "./choices";
import { useLatest } from "./latest";

export interface Overlay {
  choice: Choice;
  change: (changed: Partial<Choice>) => void;
  /** The rounds of each loaded recording. */
  held: [number, Laid][];
  /** The rounds that fit, and those of them that the map shows. */
  fitting: Chosen[];
  shown: Chosen[];
  /** Recordings on the same map. */
  others: Entry[];
  loading: boolean;
  errors: string[];
  playback: Playback;
  seconds: number;
}

function ids(keys: string): number[] {
  return keys.split(",").map(Number);
}

/** Loads and shows the overlay while it is active. */
export function useOverlay(
  shared: Shared,
  map: MapView | null,
  active: boolean,
  text: string,
  choose: Choose,
): Overlay {
  const { source, match, summary, cast } = shared;
  const [answers, setAnswers] = useState(new Map<number, Laid | string>());
  const [files, setFiles] = useState<Entry[]>([]);
  const [, setDrawn] = useState(0);
  const asked = useRef(new Set<number>());
  const laid = answers.get(match);
  const choice = useMemo(() => (text || typeof laid !== "object" ? choiceOf(text) : firstChoice(laid)), [text, laid]);
  const own = files.find((file) => file.id === match)?.about?.map;
  const others = files.filter(({ id, about }) => id !== match && own && about?.map === own);
  const unread = files.some((file) => !file.about);
  const keys = [match, ...choice.beside.filter((id) => others.some((other) => other.id === id))].join();
  const latest = useLatest({ choice, choose });
  const change = useMemo(
    () => (changed: Partial<Choice>) =>
      latest.current.choose({ over: textOf({ ...latest.current.choice, ...changed }) || "any" }),
    [latest],
  );

  useEffect(() => {
    if (!active || (files.length && !unread)) return;
    const timer = setTimeout(() => source.files().then(setFiles, () => {}), files.length ? 1000 : 0);
    return () => clearTimeout(timer);
  }, [active, source, files, unread]);
  useEffect(() => {
    if (!active) return;
    for (const id of ids(keys).filter((id) => !asked.current.has(id))) {
      asked.current.add(id);
      const keep = (found: Laid | string): void => setAnswers((old) => new Map(old).set(id, found));
      source.get<Laid>(id, "overlay").then(keep, (error: Error) => keep(error.message));
    }
  }, [active, source, keys]);

  const held = useMemo(
    () =>
      ids(keys).flatMap((id): [number, Laid][] => {
        const found = answers.get(id);
        return typeof found === "object" ? [[id, found]] : [];
      }),
    [answers, keys],
  );
  const found = useMemo(() => chosenOf(held, choice), [held, choice]);
  const shown = useMemo(() => found.filter(({ key }) => !choice.off.includes(key)).slice(0, MOST), [found, choice]);
  const longest = Math.max(1, ...shown.map(({ round }) => round.seconds)),
    loaded = held.length > 0;
  const before = useRef<Playback | null>(null);
  const playback = useMemo(() => {
    const { rate } = summary,
      last = before.current;
    const made = new Playback(0, longest * rate, rate, last?.tick ?? latest.current.choice.at * rate, last?.speed);
    made.playing = last?.playing ?? false;
    before.current = loaded ? made : null; // the length of the rounds is not known before
    return made;
  }, [summary, longest, loaded, latest]);
  const layer = useMemo(
    () => new OverlayLayer(cast, new Map(summary.players.map(({ side, team }) => [side, team]))),
    [summary, cast],
  );

  useEffect(() => {
    layer.set(shown, choice.alone);
  }, [layer, shown, choice.alone]);
  useEffect(() => {
    playback.onControl = () => {
      if (!playback.playing) change({ at: playback.tick / summary.rate });
    };
    const heard = (): void => {
      layer.seconds = playback.tick / summary.rate;
      setDrawn(Math.floor(layer.seconds * 10));
    };
    heard();
    return playback.listen(heard);
  }, [playback, layer, summary, change]);
  useEffect(() => {
    if (!active || !map) return;
    map.over = layer;
    if (shared.playback.playing) shared.playback.toggle();
    let running = true;
    const frame = (now: number): void => {
      if (!running) return;
      playback.advance(now, false);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    return () => {
      running = false;
      map.over = null;
    };
  }, [active, map, layer, playback, shared.playback]);

  const errors = ids(keys)
    .map((id) => answers.get(id))
    .filter((each): each is string => typeof each === "string");
  const loading = active && ids(keys).some((id) => !answers.has(id));
  const seconds = playback.tick / summary.rate;
  return { choice, change, held, fitting: found, shown, others, loading, errors, playback, seconds };
}

const nothing = (): void => {};

/** The commands of keys while the overlay is shown: they move all its rounds. */
export function overlayControls(controls: Controls, playback: Playback): Controls {
  return {
    ...controls,
    toggle: () => playback.toggle(),
    move: (seconds) => playback.move(seconds),
    step: (ticks) => playback.seek(Math.floor(playback.tick) + ticks),
    faster: (by) => playback.faster(by),
    seek: (share) => playback.seek(playback.last * share),
    event: nothing,
    jump: nothing,
    bookmark: nothing,
    toBookmark: nothing,
    rangeAt: nothing,
  };
}
