// The note on a report and on the moment on which the page opened.
import { useEffect, useState } from "preact/hooks";
import type { Place } from "./address";
import type { Opening } from "./data";
import type { MapView } from "./map";
import type { Shared } from "./shared";

interface Props {
  shared: Shared;
  start: Place;
  opening: Opening | null | undefined;
  map: MapView | null;
  tick: number;
}

/** Moves the playhead to the moment to open on when it is known, and tells so. */
export function Intro({ shared: { source, playback }, start, opening, map, tick }: Props) {
  const [intro, setIntro] = useState(!source.live);
  const [opened, setOpened] = useState<string | null>(null);
  useEffect(() => {
    if (!opening || start.tick !== null || playback.playing || playback.tick !== playback.first) return;
    playback.begin(opening.tick);
    map?.refit();
    setOpened(opening.label);
  }, [opening, start, playback, map]);
  const told = opening && tick === opening.tick ? opened : null;
  if (!intro && !told) return null;
  return (
    <p class="intro">
      {!source.live && (
        <>A recorded match in one file. Space plays it; click the timeline to go there, or a player to follow them. </>
      )}
      {told && (
        <>
          Opened on {told}.{" "}
          <button
            onClick={() => {
              playback.seek(playback.first);
              setOpened(null);
            }}
          >
            from the start
          </button>
        </>
      )}
      <button
        onClick={() => {
          setIntro(false);
          setOpened(null);
        }}
      >
        got it
      </button>
    </p>
  );
}
