import { useEffect, useState } from "preact/hooks";
import type { Moment, Source, Summary } from "../data";
import type { Playback } from "../playback";
import { begun } from "../settled";
import { useLatest } from "./latest";

/** Milliseconds between two renders while the playhead moves. */
const APART = 250;

/** Renders at most four times a second while the playhead moves, and loads the players' state at its tick. */
export function useMoment(
  source: Source,
  match: number,
  summary: Summary,
  playback: Playback,
  onRefresh: () => void,
): Moment | null {
  const [moment, setMoment] = useState<Moment | null>(null);
  const [, render] = useState(0);
  const told = useLatest(onRefresh);
  useEffect(() => {
    let timer = 0,
      asked = -1,
      busy = false,
      planned = (): void => {};
    const refresh = async (): Promise<void> => {
      timer = 0;
      planned();
      render((count) => count + 1);
      told.current();
      const tick = Math.floor(playback.tick);
      if (tick !== asked && !busy && summary.has_map) {
        busy = true;
        asked = tick;
        try {
          setMoment(await source.get<Moment>(match, "moment", { tick }));
        } catch {
          /* refused: the previous moment stays */
        }
        busy = false;
        if (Math.floor(playback.tick) !== asked) plan();
      }
    };
    const plan = (): void => {
      if (!timer) {
        planned = begun();
        timer = window.setTimeout(refresh, APART);
      }
    };
    const stop = playback.listen(plan);
    refresh();
    return () => {
      stop();
      window.clearTimeout(timer);
      planned();
    };
  }, [source, match, summary, playback, told]);
  return moment;
}
