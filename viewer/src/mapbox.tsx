// The map with its tools, captions and legend.
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Ground } from "./data";
import { Icon } from "./icons";
import type { Ink } from "./ink";
import type { Shown } from "./layers";
import type { MapView } from "./map";
import type { Motion } from "./motion";
import type { Shared } from "./shared";

/** Layers that a button shows and hides, if the game has them. */
const LAYERS = ["names", "trails", "health", "units", "cameras", "orders", "cones", "effects"] as const;

interface Props {
  shared: Shared;
  canvas: RefObject<HTMLCanvasElement>;
  map: MapView | null;
  motion: Motion;
  ground: Ground | null;
  tick: number;
  shown: Shown;
  onShown: (shown: Shown) => void;
  status: string | null;
  ink: Ink[];
  onInk: (ink: Ink[]) => void;
}

function Toggle({ label, title, on, onToggle }: { label: string; title?: string; on: boolean; onToggle: () => void }) {
  return (
    <button aria-pressed={on} title={title} onClick={onToggle}>
      {label}
    </button>
  );
}

function Sight({ shared, shown, onShown }: Pick<Props, "shared" | "shown" | "onShown">) {
  const { summary, cast } = shared;
  const teams = summary.sight_teams.filter((team) => summary.players.some((player) => player.team === team));
  if (teams.length < 2) return null;
  return (
    <select
      aria-label="whose view"
      value={shown.sight ?? ""}
      onChange={(event) =>
        onShown({ ...shown, sight: event.currentTarget.value ? Number(event.currentTarget.value) : null })
      }
    >
      <option value="">seen by anybody</option>
      {teams.map((team) => (
        <option key={team} value={team}>
          seen by {cast.teamName(team)}
        </option>
      ))}
    </select>
  );
}

function Tools({
  shared,
  map,
  motion,
  ground,
  shown,
  onShown,
  ink,
  onInk,
  draws,
  onDraws,
}: Omit<Props, "canvas" | "tick" | "status"> & { draws: boolean; onDraws: (draws: boolean) => void }) {
  const { summary, source } = shared;
  const positions = summary.tables.some((each) => each.name === "positions");
  const toggle = (layer: Exclude<keyof Shown, "sight">, title?: string) => (
    <Toggle
      key={layer}
      label={layer}
      title={title}
      on={shown[layer]}
      onToggle={() => onShown({ ...shown, [layer]: !shown[layer] })}
    />
  );
  return (
    <div class="tools" role="group" aria-label="map">
      <details class="layers">
        <summary>layers</summary>
        {LAYERS.filter((each) => summary.presentation.map.layers.includes(each)).map((each) => toggle(each))}
        {toggle("safe", "colours that everybody can tell apart, instead of the game's")}
        {motion.tellsDetails && toggle("details", "hooks, velocities, weapons and shots")}
        {ground?.picture && toggle("picture")}
        {(positions || !source.live) &&
          toggle("heat", `positions of all players${source.live ? ", or of the chosen one" : ""}`)}
        {(positions || !source.live) && toggle("path", "path of the chosen player")}
        {motion.tellsSight && <Sight shared={shared} shown={shown} onShown={onShown} />}
      </details>
      <Toggle
        label="draw"
        title="drag to draw, click to write a note; the link keeps both"
        on={draws}
        onToggle={() => onDraws(!draws)}
      />
      {ink.length > 0 && (
        <button onClick={() => onInk(ink.slice(0, -1))} title="takes the last line or note away">
          undo
        </button>
      )}
      <button onClick={() => map?.zoomBy(1.3)} aria-label="zoom in">
        <Icon name="plus" />
      </button>
      <button onClick={() => map?.zoomBy(1 / 1.3)} aria-label="zoom out">
        <Icon name="minus" />
      </button>
      <button onClick={() => map?.fit()}>all</button>
    </div>
  );
}

/** Symbols of the legend that a recording without units has. */
const ATTENTION = ["frame", "cross"];
/** Symbols of what the recording tells of its map; a picture of the map tells more. */
const TOLD = ["ground", "wall"];

function Legend({ shared: { cast, summary }, motion, ground }: Pick<Props, "shared" | "motion" | "ground">) {
  return (
    <p class="legend">
      {cast.legend().map((each) => (
        <span key={each.label}>
          <i class={each.square ? "square" : ""} style={{ background: each.colour }} aria-hidden="true" />
          <bdi>{each.label}</bdi>
        </span>
      ))}
      {summary.presentation.map.legend
        .filter(
          ([symbol]) =>
            (!motion.onlyAttention || ATTENTION.includes(symbol)) &&
            !(ground?.picture?.drawn === false && TOLD.includes(symbol)),
        )
        .map(([symbol, meaning]) => (
          <span key={meaning} class="meaning">
            <i class={symbol} aria-hidden="true" />
            {meaning}
          </span>
        ))}
      {ground?.doubts.length ? (
        <span>
          <i class="doubt" aria-hidden="true" />
          on the timeline: not as simulated
        </span>
      ) : null}
      {ground?.picture?.legend.map(([colour, meaning]) => (
        <span key={meaning} class="meaning">
          <i class="square" style={{ background: colour }} aria-hidden="true" />
          {meaning}
        </span>
      ))}
      {ground?.picture && (
        <span>
          ground: <bdi>{ground.picture.source.replace(/: .*[\\/]/, ": ")}</bdi>
        </span>
      )}
    </p>
  );
}

/** A field for the text of a note at its place on the map. */
function NoteBox({ place, onNote }: { place: [number, number]; onNote: (text: string) => void }) {
  return (
    <input
      class="note"
      ref={(box) => box?.focus()}
      style={{ left: `${place[0]}px`, top: `${place[1]}px` }}
      maxLength={80}
      aria-label="note"
      placeholder="a note"
      onKeyDown={(event) => {
        if (event.key === "Enter") event.currentTarget.blur();
      }}
      onBlur={(event) => onNote(event.currentTarget.value.trim())}
    />
  );
}

export function MapBox(props: Props) {
  const { shared, canvas, map, motion, ground, tick, status, ink, onInk } = props;
  const [place, setPlace] = useState<[number, number] | null>(null);
  const [draws, setDraws] = useState(false);
  const [note, setNote] = useState<Ink | null>(null);
  useEffect(() => {
    if (!map) return;
    map.onHover = setPlace;
    map.onInk = draws ? (made) => (made.points.length > 1 ? onInk([...ink, made]) : setNote(made)) : null;
  }, [map, draws, ink, onInk]);
  const [left, right, low, high] = ground?.picture?.bounds ?? ground?.bounds ?? [0, 2, 0, 1];
  const aspect = Math.max(0.5, Math.min(2.4, (right - left) / (high - low || 1)));
  const told = place && map ? map.told(...place) : [];
  return (
    <div class="mapbox" style={{ "--aspect": aspect }}>
      <canvas
        ref={canvas}
        class={draws ? "map draws" : "map"}
        role="img"
        tabIndex={0}
        aria-label={`map at ${shared.time(tick)}; the panel of players has their places`}
      />
      <div class="over">
        <Tools {...props} draws={draws} onDraws={setDraws} />
      </div>
      <Legend shared={shared} motion={motion} ground={ground} />
      {place && told.length > 0 && (
        <div class="tip hover" style={{ left: `${place[0]}px`, top: `${place[1]}px` }} role="status">
          {told.map((line) => (
            <div key={line}>{line}</div>
          ))}
        </div>
      )}
      {note && map && (
        <NoteBox
          place={map.screenOf(note.points[0])}
          onNote={(text) => {
            setNote(null);
            if (text) onInk([...ink, { ...note, note: text }]);
          }}
        />
      )}
      {status && (
        <p class="busy" role="status">
          {status}
        </p>
      )}
    </div>
  );
}
