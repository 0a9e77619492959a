// The map with its tools, captions and legend.
import type { ComponentChildren, RefObject } from "preact";
import type { Ground } from "./data";
import { Icon } from "./icons";
import type { Shown } from "./layers";
import type { MapView } from "./map";
import type { Motion } from "./motion";
import type { Shared } from "./shared";

/** Layers that a button shows and hides, if the game has them. */
const LAYERS = ["names", "trails", "health", "units", "cameras", "orders"] as const;

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
  children: ComponentChildren;
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
      label={layer === "safe" ? "safe colours" : layer}
      title={title}
      on={shown[layer]}
      onToggle={() => onShown({ ...shown, [layer]: !shown[layer] })}
    />
  );
  return (
    <div class="tools" role="group" aria-label="map">
      {LAYERS.filter((each) => summary.presentation.map.layers.includes(each)).map((each) => toggle(each))}
      {toggle("safe", "colours that everybody can tell apart, instead of the game's")}
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

export function MapBox({ shared, canvas, map, motion, ground, tick, shown, onShown, status, children }: Props) {
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
