// The map with its tools, captions and legend.
import type { ComponentChildren, RefObject } from "preact";
import type { Ground, Mark } from "./data";
import { Icon } from "./icons";
import { KillFeed, killText } from "./killfeed";
import type { Shown } from "./layers";
import type { MapView } from "./map";
import type { Motion } from "./motion";
import type { Shared } from "./shared";

/** Captions show the last events for this many seconds, and at most this many of one tick. */
const CAPTION_SECONDS = 2,
  MOST_CAPTIONS = 3;
/** Layers that a button shows and hides, if the game has them. */
const LAYERS = ["names", "trails", "health", "units", "cameras", "orders"] as const;
const LONGEST = 140;

interface Props {
  shared: Shared;
  canvas: RefObject<HTMLCanvasElement>;
  map: MapView | null;
  motion: Motion;
  ground: Ground | null;
  marks: Mark[];
  tick: number;
  shown: Shown;
  onShown: (shown: Shown) => void;
  status: string | null;
  children: ComponentChildren;
}

/** Name and text of an event in a line. */
export function markText({ cast }: Shared, mark: Mark): string {
  if (mark.kill) return killText(cast, mark.kill);
  return [...new Set([cast.name(mark.player), mark.text])].filter(Boolean).join(" · ").slice(0, LONGEST);
}

function Toggle({ label, title, on, onToggle }: { label: string; title?: string; on: boolean; onToggle: () => void }) {
  return (
    <button type="button" aria-pressed={on} title={title} onClick={onToggle}>
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
}: Pick<Props, "shared" | "map" | "motion" | "ground" | "shown" | "onShown">) {
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
      {LAYERS.filter((each) => summary.presentation.map.layers.includes(each)).map((each) => toggle(each))}
      {motion.tellsDetails && toggle("details", "hooks, velocities, weapons and shots")}
      {ground?.picture && toggle("picture")}
      {source.live && positions && toggle("heat", "positions of all players, or of the chosen one")}
      {(positions || !source.live) && toggle("path", "path of the chosen player")}
      {motion.tellsSight && <Sight shared={shared} shown={shown} onShown={onShown} />}
      <button type="button" onClick={() => map?.zoomBy(1.3)} aria-label="zoom in">
        <Icon name="plus" />
      </button>
      <button type="button" onClick={() => map?.zoomBy(1 / 1.3)} aria-label="zoom out">
        <Icon name="minus" />
      </button>
      <button type="button" onClick={() => map?.fit()}>
        all
      </button>
    </div>
  );
}

/** The last events before the playhead: after a jump to a kill they name the players. */
function Captions({ shared, marks, tick }: Pick<Props, "shared" | "marks" | "tick">) {
  const last = marks.findLast((mark) => mark.tick <= tick && !mark.kill); // kills have their feed
  if (!last || tick - last.tick > CAPTION_SECONDS * shared.summary.rate) return null;
  const here = marks.filter((mark) => mark.tick === last.tick);
  if (here.some((mark) => mark.kill)) return null; // the feed tells more than the hits that killed
  const shown = here.slice(0, MOST_CAPTIONS);
  return (
    <ul class="caption">
      {shown.map((mark, place) => (
        <li key={place}>
          <b>{shared.words.kind(mark.kind)}</b> {markText(shared, mark)}
        </li>
      ))}
    </ul>
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
      {ground?.picture && (
        <span>
          ground: <bdi>{ground.picture.source.replace(/: .*[\\/]/, ": ")}</bdi>
        </span>
      )}
    </p>
  );
}

export function MapBox({ shared, canvas, map, motion, ground, marks, tick, shown, onShown, status, children }: Props) {
  return (
    <div class="mapbox">
      <canvas
        ref={canvas}
        class="map"
        role="img"
        tabIndex={0}
        aria-label={`map at ${shared.time(tick)}; the panel of players has their places`}
      />
      <div class="over">
        <Tools shared={shared} map={map} motion={motion} ground={ground} shown={shown} onShown={onShown} />
        <KillFeed shared={shared} marks={marks} tick={tick} />
        <Captions shared={shared} marks={marks} tick={tick} />
      </div>
      <Legend shared={shared} motion={motion} ground={ground} />
      {children}
      {status && (
        <p class="busy" role="status">
          {status}
        </p>
      )}
    </div>
  );
}
