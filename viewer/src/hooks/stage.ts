// Map and timeline: their canvases, and the loop that draws each frame.
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Place, Range } from "../address";
import type { Cast } from "../cast";
import type { Summary, Mark } from "../data";
import { MapView } from "../map";
import type { Motion, ThingInfo } from "../motion";
import type { Playback } from "../playback";
import { begun, drawn } from "../settled";
import { Timeline } from "../timeline";
import type { Words } from "../words";

export interface Tip {
  mark: Mark;
  x: number;
}
export interface Stage {
  map: MapView | null;
  timeline: Timeline;
}
export interface StageState {
  canvas: RefObject<HTMLCanvasElement>;
  line: RefObject<HTMLCanvasElement>;
  stage: Stage | null;
  /** Whether the tick of the playhead is drawn. */
  ready: boolean;
  /** Whether a tick was ever drawn. */
  began: boolean;
  selected: ThingInfo | null;
  tip: Tip | null;
}

/** Milliseconds after which the page says that it is loading: a new state for every jump would cost more than the jump. */
const PATIENCE = 200;

/** Draws every frame and advances the playback; returns a function that stops it. */
function animate(
  { map, timeline }: Stage,
  playback: Playback,
  motion: Motion,
  onReady: (ready: boolean) => void,
): () => void {
  let running = true,
    before = false,
    missing = 0;
  const frame = (now: number): void => {
    if (!running) return;
    const ahead = playback.playing ? Math.min(4, Math.ceil(playback.speed / 4)) : 1;
    const there = map ? map.draw(playback.tick, ahead) : true;
    if (there) missing = 0;
    else missing ||= now;
    if (there !== before && (there || now - missing > PATIENCE)) {
      before = there;
      onReady(there);
    }
    playback.advance(now, !there && !(map && motion.failing)); // a stretch that cannot be read does not stop the rest
    timeline.draw();
    drawn(there ? Math.floor(playback.tick) : null);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  return () => {
    running = false;
  };
}

interface Parts {
  summary: Summary;
  cast: Cast;
  words: Words;
  playback: Playback;
  motion: Motion;
  start: Place;
  onRange: (range: Range | null) => void;
}

export function useStage({ summary, cast, words, playback, motion, start, onRange }: Parts): StageState {
  const canvas = useRef<HTMLCanvasElement>(null),
    line = useRef<HTMLCanvasElement>(null);
  const [stage, setStage] = useState<Stage | null>(null);
  const [ready, setReady] = useState(false);
  const [began, setBegan] = useState(false);
  const [selected, setSelected] = useState<ThingInfo | null>(null);
  const [tip, setTip] = useState<Tip | null>(null);
  const [, setNews] = useState("");
  const [opens] = useState(begun);
  // The first drawing starts the requests of `usePasses`: the page is not settled between the two.
  useEffect(() => {
    if (began) opens();
    return opens;
  }, [began, opens]);
  useEffect(() => {
    if (!line.current) return;
    const timeline = new Timeline(line.current, summary, cast, words, playback);
    timeline.span = start.span;
    timeline.onRange = onRange;
    timeline.onHover = (mark, x) => setTip(mark ? { mark, x } : null);
    const map = canvas.current && new MapView(canvas.current, summary, cast, words, motion);
    if (map) {
      map.theme();
      if (start.camera) map.setCamera(start.camera);
      map.selected = start.selected;
      map.onSelect = (track) => setSelected(track?.info ?? null);
      motion.onLoad = () => {
        map.moveAgain();
        if (map.selectedTrack) setSelected(map.selectedTrack.info);
        setNews(`${motion.error}|${motion.tellsSight}|${motion.tellsDetails}|${motion.isEmpty}`);
      };
    }
    const made = { map, timeline };
    setStage(made);
    return animate(made, playback, motion, (there) => {
      setReady(there);
      if (there) setBegan(true);
    });
  }, [summary, cast, words, playback, motion, start, onRange]);
  return { canvas, line, stage, ready, began, selected, tip };
}
