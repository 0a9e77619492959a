// The buttons that move the playhead, the chapters, the timeline, and the range that is chosen on it.
import type { ComponentChildren, RefObject } from "preact";
import { useState } from "preact/hooks";
import type { Range } from "./address";
import type { Lead, WinChance } from "./data";
import type { Tip } from "./hooks/stage";
import { Icon, Sign } from "./icons";
import { markText } from "./killfeed";
import { SPEEDS } from "./playback";
import { valueAt } from "./plot";
import type { Shared } from "./shared";
import { rounded } from "./words";
import { leadAt, type Timeline } from "./timeline";
import { Voice } from "./voice";

interface Props {
  shared: Shared;
  speakers: string[] | undefined;
  jumps: Record<string, number[]>;
  onEvent: (sign: number) => void;
  onJump: (name: string, sign: number) => void;
  children: ComponentChildren;
}

export function Transport({ shared, speakers, jumps, onEvent, onJump, children }: Props) {
  const { playback, summary } = shared;
  const [, render] = useState(0);
  const changed = (): void => render((count) => count + 1);
  return (
    <div class="transport">
      <button onClick={() => onEvent(-1)} aria-label="previous event" title="P">
        <Icon name="previous" />
      </button>
      <button
        class="play"
        onClick={() => {
          playback.toggle();
          changed();
        }}
        aria-label={playback.playing ? "stop" : "play"}
        title="Space"
      >
        <Icon name={playback.playing ? "pause" : "play"} />
      </button>
      <button onClick={() => onEvent(1)} aria-label="next event" title="N">
        <Icon name="next" />
      </button>
      {summary.presentation.feed.jumps
        .filter(({ name }) => jumps[name]?.length)
        .map(({ name, key }) => (
          <span key={name} class="jump" role="group" aria-label={name}>
            <button
              onClick={() => onJump(name, -1)}
              aria-label={`previous ${name}`}
              title={`Shift+${key.toUpperCase()}`}
            >
              <Icon name="back" />
            </button>
            <Sign jump={name} /> {name}
            <button onClick={() => onJump(name, 1)} aria-label={`next ${name}`} title={key.toUpperCase()}>
              <Icon name="forward" />
            </button>
          </span>
        ))}
      <label class="speed">
        <span class="sr">speed</span>
        <select
          value={playback.speed}
          onChange={(event) => {
            playback.setSpeed(Number(event.currentTarget.value));
            changed();
          }}
        >
          {SPEEDS.map((speed) => (
            <option key={speed} value={speed}>
              {speed}×
            </option>
          ))}
        </select>
      </label>
      {speakers?.length ? <Voice shared={shared} speakers={speakers} /> : null}
      {children}
    </div>
  );
}

interface BoxProps {
  shared: Shared;
  tick: number;
  line: RefObject<HTMLCanvasElement>;
  tip: Tip | null;
  children: ComponentChildren;
}

export function TimelineBox({ shared, tick, line, tip, children }: BoxProps) {
  const { playback, time, words } = shared;
  return (
    <div class="line">
      <canvas
        ref={line}
        class="timeline"
        tabIndex={0}
        role="slider"
        aria-label="time"
        aria-valuemin={playback.first}
        aria-valuemax={playback.last}
        aria-valuenow={tick}
        aria-valuetext={time(tick)}
      />
      {tip && (
        <div class="tip" style={{ left: `${tip.x}px` }}>
          <b>
            {time(tip.mark.tick)} {words.kind(tip.mark.kind)}
          </b>{" "}
          {markText(shared, tip.mark)}
        </div>
      )}
      {children}
    </div>
  );
}

interface UnderProps {
  shared: Shared;
  tick: number;
  timeline: Timeline | null;
  range: Range | null;
  lead: Lead | null;
  chance: WinChance | null;
  bookmarked: boolean;
  lanes: boolean;
  onLanes: () => void;
  onBookmark: () => void;
  onRangeAt: (end: "first" | "last") => void;
  onNoRange: () => void;
}

/** The lead at the playhead, and what is chosen on the timeline. */
export function Under({
  shared,
  tick,
  timeline,
  range,
  lead,
  chance,
  bookmarked,
  lanes,
  onLanes,
  onBookmark,
  onRangeAt,
  onNoRange,
}: UnderProps) {
  const { time, cast } = shared;
  const likely = chance && valueAt(chance, tick);
  const ahead = lead && leadAt(lead, tick);
  return (
    <div class="under">
      {ahead && lead && (
        <span class="lead">
          {ahead.by ? (
            <>
              <b style={{ "--side": cast.colour(null, ahead.team) }}>{cast.teamName(ahead.team)}</b> +
              {lead.label.includes("$") && "$"}
              {rounded(ahead.by)}
            </>
          ) : (
            "even"
          )}{" "}
          <span class="dim">{lead.label.replace(/ \(.*/, "")}</span>
        </span>
      )}
      <span class="jump" role="group" aria-label="range">
        <button onClick={() => onRangeAt("first")} title="the range begins here: (">
          from
        </button>
        <button onClick={() => onRangeAt("last")} title="the range ends here: )">
          to
        </button>
        {range && (
          <button onClick={onNoRange} aria-label="no range" title="\">
            <Icon name="close" />
          </button>
        )}
      </span>
      {lead && (
        <button onClick={onLanes} aria-pressed={lanes} title="a lane for each kind of event">
          lanes
        </button>
      )}
      <button onClick={onBookmark} title="M" aria-pressed={bookmarked}>
        bookmark
      </button>
      {chance && likely !== null && (
        <span class="lead" title={`${cast.teamName(chance.team)} wins, as the game showed it to spectators`}>
          <b style={{ "--side": cast.colour(null, chance.team) }}>{Math.round(100 * likely)} %</b> to win
        </span>
      )}
      {range && (
        <span>
          range {time(range[0])} – {time(range[1])} <button onClick={() => timeline?.setSpan(range)}>zoom to it</button>
        </span>
      )}
      <span class="zooms">
        <button
          aria-label="zoom into the timeline"
          title="the wheel over the timeline"
          onClick={() => timeline?.zoom(0.5)}
        >
          <Icon name="plus" />
        </button>
        <button aria-label="zoom out of the timeline" onClick={() => timeline?.zoom(2)}>
          <Icon name="minus" />
        </button>
      </span>
    </div>
  );
}
