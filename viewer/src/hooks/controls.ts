// The commands of keys and buttons.
import type { Mark } from "../data";
import type { Dispatch, StateUpdater } from "preact/hooks";
import { rangeAt } from "../address";
import type { Controls } from "../keys";
import type { Playback } from "../playback";
import { type Choose, toggled } from "./choices";
import type { Stage } from "./stage";

/** The nearest tick after the playhead, or before it. */
function nearest(ticks: number[], tick: number, sign: number): number | undefined {
  return sign > 0 ? ticks.find((each) => each > tick) : ticks.findLast((each) => each < tick);
}

interface Parts {
  playback: Playback;
  stage: Stage | null;
  marks: Mark[];
  jumps: Record<string, number[]>;
  /** The chosen player. */
  player: number | null;
  bookmarks: number[];
  choose: Choose;
  setDark: Dispatch<StateUpdater<boolean>>;
  setHelp: Dispatch<StateUpdater<boolean>>;
  setShares: Dispatch<StateUpdater<boolean>>;
}

export function controlsOf({
  playback,
  stage,
  marks,
  jumps,
  player,
  bookmarks,
  choose,
  setDark,
  setHelp,
  setShares,
}: Parts): Controls {
  const map = stage?.map,
    timeline = stage?.timeline;
  const here = (): number => Math.floor(playback.tick);
  const toNearest = (ticks: number[], sign: number): void => {
    const found = nearest(ticks, here(), sign);
    if (found !== undefined) playback.seek(found);
  };
  return {
    toggle: () => playback.toggle(),
    move: (seconds) => playback.move(seconds),
    step: (ticks) => playback.seek((ticks < 0 ? Math.ceil(playback.tick) : here()) + ticks),
    faster: (by) => playback.faster(by),
    seek: (share) => playback.seek(Math.floor(playback.first + (playback.last - playback.first) * share)),
    event: (sign) =>
      toNearest(
        marks.map((mark) => mark.tick),
        sign,
      ),
    jump: (name, sign) => toNearest(jumps[`${name}/${player}`] ?? jumps[name] ?? [], sign),
    bookmark: () => choose((old) => ({ bookmarks: [...toggled(old.bookmarks, here())].sort((a, b) => a - b) })),
    toBookmark: (sign) => toNearest(bookmarks, sign),
    follow: () => choose((old) => ({ follow: !old.follow && map?.selected != null })),
    zoom: (factor) => map?.zoomBy(factor),
    fit: () => map?.fit(),
    theme: () => setDark((old) => !old),
    search: () => {
      choose({ tab: "events" });
      setTimeout(() => document.getElementById("search")?.focus());
    },
    help: () => setHelp((old) => !old),
    escape: () => {
      setHelp(false);
      setShares(false);
      map?.select(null);
      choose({ follow: false });
    },
    rangeAt: (end) => choose((old) => ({ range: rangeAt(old.range, here(), end, [playback.first, playback.last]) })),
    noRange: () => choose({ range: null }),
    zoomTime: (factor) => timeline?.zoom(factor),
  };
}
