// Two recordings side by side: each is a frame of its own, and the page around both hands on what the user does in one.
import { useEffect } from "preact/hooks";
import type { Clock, Summary } from "../data";
import type { Playback } from "../playback";
import { clockSeconds, tickOf } from "../time";
import { useLatest } from "./latest";
import { hears } from "../root";

interface Told {
  seconds: number;
  playing: boolean;
  speed: number;
}

function isTold(data: unknown): data is Told {
  const { seconds, playing, speed } = (data ?? {}) as Partial<Told>;
  return Number.isFinite(seconds) && typeof playing === "boolean" && Number.isFinite(speed);
}

/** In a frame, tells the page around it of the playhead, on the game's clock, and follows what it says of the other one. */
export function useBeside(playback: Playback, summary: Summary, clock: Clock | null): void {
  const latest = useLatest(clock);
  useEffect(() => {
    if (window.parent === window || location.origin === "null") return;
    let follows = false;
    playback.onControl = () => {
      const told: Told = {
        seconds: clockSeconds(playback.tick, summary, latest.current),
        playing: playback.playing,
        speed: playback.speed,
      };
      if (!follows) window.parent.postMessage(told, location.origin);
    };
    const heard = ({ data, origin, source }: MessageEvent): void => {
      if (source !== window.parent || origin !== location.origin || !isTold(data)) return;
      follows = true;
      playback.seek(tickOf(data.seconds, summary, latest.current));
      playback.setSpeed(data.speed);
      if (playback.playing !== data.playing) playback.toggle();
      follows = false;
    };
    const deaf = hears({ message: heard });
    return () => {
      deaf();
      playback.onControl = () => {};
    };
  }, [playback, summary, latest]);
}

/** In the page around two frames, hands each message on to the other one. */
export function handOn(frames: (Window | null)[], { data, origin, source }: MessageEvent): void {
  if (origin !== location.origin || !frames.includes(source as Window)) return;
  for (const frame of frames) if (frame && frame !== source) frame.postMessage(data, location.origin);
}
