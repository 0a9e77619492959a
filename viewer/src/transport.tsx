// The buttons that move the playhead, and the timeline.
import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import type { Tip } from "./hooks/stage";
import { markText } from "./mapbox";
import { SPEEDS } from "./playback";
import type { Shared } from "./shared";

interface Props {
  shared: Shared; tick: number; jumps: Record<string, number[]>; bookmarked: boolean;
  onEvent: (sign: number) => void; onJump: (name: string, sign: number) => void; onBookmark: () => void;
}

export function Transport({ shared, tick, jumps, bookmarked, onEvent, onJump, onBookmark }: Props) {
  const { playback, summary, time } = shared;
  const [, render] = useState(0);
  const changed = (): void => render((count) => count + 1);
  return (
    <div class="transport">
      <button type="button" onClick={() => onEvent(-1)} aria-label="previous event" title="P">⏮</button>
      <button type="button" class="play" onClick={() => { playback.toggle(); changed(); }} aria-label={playback.playing ? "stop" : "play"} title="Space">{playback.playing ? "❚❚" : "▶"}</button>
      <button type="button" onClick={() => onEvent(1)} aria-label="next event" title="N">⏭</button>
      {summary.presentation.feed.jumps.filter(({ name }) => jumps[name]?.length).map(({ name, key }) => (
        <span key={name} class="jump" role="group" aria-label={name}>
          <button type="button" onClick={() => onJump(name, -1)} aria-label={`previous ${name}`} title={`Shift+${key.toUpperCase()}`}>‹</button>
          {name}
          <button type="button" onClick={() => onJump(name, 1)} aria-label={`next ${name}`} title={key.toUpperCase()}>›</button>
        </span>
      ))}
      <output class="now" aria-live="off"><b>{time(tick)}</b> <span class="dim">tick {tick}</span></output>
      <label class="speed">speed <select value={playback.speed} onChange={(event) => { playback.speed = Number(event.currentTarget.value); changed(); }}>{SPEEDS.map((speed) => <option key={speed} value={speed}>{speed}×</option>)}</select></label>
      <button type="button" onClick={onBookmark} title="M" aria-pressed={bookmarked}>bookmark</button>
    </div>
  );
}

export function TimelineBox({ shared, tick, line, tip }: { shared: Shared; tick: number; line: RefObject<HTMLCanvasElement>; tip: Tip | null }) {
  const { playback, time, words } = shared;
  return (
    <div class="line">
      <canvas ref={line} class="timeline" tabIndex={0} role="slider" aria-label="time" aria-valuemin={playback.first} aria-valuemax={playback.last} aria-valuenow={tick} aria-valuetext={time(tick)} />
      {tip && <div class="tip" style={{ left: `${tip.x}px` }}><b>{time(tip.mark.tick)} {words.kind(tip.mark.kind)}</b> {markText(shared, tip.mark)}</div>}
    </div>
  );
}
