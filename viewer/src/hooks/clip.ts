import type { Mark } from "../data";
import { useState } from "preact/hooks";
import type { Range } from "../address";
import { canRecord, record, save } from "../clip";
import { killText, lastKills } from "../killfeed";
import type { MapView } from "../map";
import type { Shared } from "../shared";

/** Seconds of a clip without a chosen range. */
const SECONDS = 10;

/** Returns a function that films the range, or some seconds from here, and how much of the film is recorded; the function
 * is undefined where nothing can be recorded, the share is null while nothing is. */
export function useClip(
  { summary, cast, playback, time }: Shared,
  map: MapView | null,
  marks: Mark[],
  range: Range | null,
): [(() => void) | undefined, number | null] {
  const [recorded, setRecorded] = useState<number | null>(null);
  const clip = async (): Promise<void> => {
    if (!map || recorded !== null) return;
    const start = range ? range[0] : playback.tick,
      seconds = range ? playback.secondsOf(range[1] - range[0]) : SECONDS;
    const here = (): number => Math.floor(playback.tick);
    const lines = (): string[] =>
      lastKills(marks, here(), summary.rate).map(
        ({ mark, times }) => `${killText(cast, mark.kill)}${times > 1 ? ` ×${times}` : ""}`,
      );
    setRecorded(0);
    try {
      const film = await record(
        map,
        playback,
        start,
        seconds,
        cast.headline() || summary.name,
        () => time(here()),
        lines,
        setRecorded,
      );
      save(
        film,
        `${summary.name.replace(/\.[^.]*$/, "")}-${Math.floor(start)}.${film.type.includes("mp4") ? "mp4" : "webm"}`,
      );
    } finally {
      setRecorded(null);
    }
  };
  return [summary.has_map && canRecord() ? clip : undefined, recorded];
}
