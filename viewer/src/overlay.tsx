// The overlay of rounds: its panel, and its playhead below the map.
import type { Entry } from "./data";
import type { Overlay } from "./hooks/overlay";
import { Icon } from "./icons";
import { type Choice, MOST } from "./overlay";
import { SPEEDS } from "./playback";
import type { Shared } from "./shared";
import { timeText } from "./time";

/** The playhead of all shown rounds: seconds since each began. */
export function OverlayBar({ overlay }: { overlay: Overlay }) {
  const { playback, shown, seconds } = overlay;
  const running = shown.filter(({ round }) => round.seconds >= seconds).length;
  return (
    <div class="transport laying">
      <button
        type="button"
        class="play"
        aria-label={playback.playing ? "stop" : "play"}
        title="Space"
        onClick={() => playback.toggle()}
      >
        <Icon name={playback.playing ? "pause" : "play"} />
      </button>
      <output class="now">
        <b>{timeText(seconds)}</b>
      </output>
      <input
        type="range"
        aria-label="seconds since the rounds began"
        aria-valuetext={timeText(seconds)}
        min={0}
        max={playback.last}
        value={playback.tick}
        step="any"
        onInput={(event) => playback.seek(Number(event.currentTarget.value))}
      />
      <label class="speed">
        <span class="sr">speed</span>
        <select value={playback.speed} onChange={(event) => playback.setSpeed(Number(event.currentTarget.value))}>
          {SPEEDS.map((speed) => (
            <option key={speed} value={speed}>
              {speed}×
            </option>
          ))}
        </select>
      </label>
      <span class="dim">
        {running} of {shown.length} rounds go on
      </span>
    </div>
  );
}

function Pick({
  label,
  any,
  value,
  values,
  onPick,
}: {
  label: string;
  any: string;
  value: string;
  values: [string, string][];
  onPick: (value: string) => void;
}) {
  return (
    <label>
      {label}{" "}
      <select value={value} onChange={(event) => onPick(event.currentTarget.value)}>
        <option value="">{any}</option>
        {values.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function Others({ others, choice, change }: { others: Entry[] } & Pick<Overlay, "choice" | "change">) {
  const toggle = (id: number): number[] =>
    choice.beside.includes(id) ? choice.beside.filter((each) => each !== id) : [...choice.beside, id];
  return (
    <fieldset class="rounds">
      <legend>with rounds of</legend>
      {others.map(({ id, name, about }) => (
        <label key={id} title={about?.title}>
          <input type="checkbox" checked={choice.beside.includes(id)} onChange={() => change({ beside: toggle(id) })} />{" "}
          <bdi>{name}</bdi>
        </label>
      ))}
    </fieldset>
  );
}

export function OverlayPanel({ shared, overlay }: { shared: Shared; overlay: Overlay }) {
  const { choice, change, held, fitting, shown, others, loading, errors } = overlay;
  const { cast, summary } = shared;
  const all = held.flatMap(([, { rounds }]) => rounds);
  const every = (of: (side: string, own: { team: string; buy: string | null }) => string | null): string[] =>
    [...new Set(all.flatMap(({ sides }) => Object.entries(sides).map(([side, own]) => of(side, own) ?? "")))]
      .filter(Boolean)
      .sort();
  const named = (side: string): string => {
    const team = summary.players.find((each) => each.side === side)?.team;
    return team == null ? side : cast.teamName(team);
  };
  const pick = (name: keyof Choice, label: string, any: string, values: [string, string][]) => (
    <Pick
      label={label}
      any={any}
      value={String(choice[name])}
      values={values}
      onPick={(value) => change({ [name]: value })}
    />
  );
  const same = (values: string[]): [string, string][] => values.map((value) => [value, value]);
  const on = fitting.filter(({ key }) => !choice.off.includes(key)).length,
    left = held.reduce((sum, [, laid]) => sum + laid.left, 0);
  const toggle = (key: string): string[] =>
    choice.off.includes(key) ? choice.off.filter((each) => each !== key) : [...choice.off, key];
  return (
    <div class="overlay">
      <div class="bar">
        {pick("team", "team", "any", same(every((_, own) => own.team)))}
        {pick(
          "side",
          "as",
          "any side",
          every((side) => side).map((side) => [side, named(side)]),
        )}
        {pick("buy", "economy", "any", same(every((_, own) => own.buy)))}
        {pick("end", "that", "won or lost", same(["won", "lost"]))}
        <label>
          <input type="checkbox" checked={choice.alone} onChange={() => change({ alone: !choice.alone })} /> only their
          players
        </label>
      </div>
      {others.length > 0 && <Others others={others} choice={choice} change={change} />}
      {errors.map((error) => (
        <p key={error} class="error" role="alert">
          {error}
        </p>
      ))}
      <p class="dim small" role="status">
        {loading ? "reading rounds… " : ""}
        {held.length > 0 && `${shown.length} of ${all.length} rounds are on the map. `}
        {on > shown.length && `${on} fit: the map shows ${MOST} at most. `}
        {left > 0 && `${left} rounds are too many to read. `}
      </p>
      <fieldset class="rounds">
        <legend>rounds</legend>
        {fitting.map(({ key, match, round }) => (
          <label key={key}>
            <input
              type="checkbox"
              checked={!choice.off.includes(key)}
              onChange={() => change({ off: toggle(key) })}
            />{" "}
            {match !== shared.match && (
              <>
                <bdi>{others.find((file) => file.id === match)?.name}</bdi>{" "}
              </>
            )}
            {round.number} · {timeText(round.seconds)}{" "}
            <span class="dim">
              {Object.entries(round.sides)
                .map(([side, { buy }]) => `${named(side)} ${buy ?? ""}${round.winner === side ? " (won)" : ""}`)
                .join(", ")}
            </span>
          </label>
        ))}
      </fieldset>
    </div>
  );
}
