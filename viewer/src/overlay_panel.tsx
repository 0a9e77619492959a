// The overlay of rounds: its panel, and its playhead below the map.
import type { Entry } from "./data";
import { toggled } from "./hooks/choices";
import type { Overlay } from "./hooks/overlay";
import { Icon } from "./icons";
import { type Choice, MOST } from "./overlay";
import type { Shared } from "./shared";
import { timeText } from "./time";
import { Wrong } from "./status";

/** The playhead of all shown rounds: seconds since each began. */
export function OverlayBar({ overlay }: { overlay: Overlay }) {
  const { playback, shown, seconds } = overlay;
  const running = shown.filter(({ round }) => round.seconds >= seconds).length;
  return (
    <div class="transport laying">
      <button
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
      <span class="dim">
        {running} of {shown.length} rounds go on, {playback.speed}×
      </span>
    </div>
  );
}

function Others({ others, choice, change }: { others: Entry[] } & Pick<Overlay, "choice" | "change">) {
  return (
    <fieldset class="rounds">
      <legend>with rounds of</legend>
      {others.map(({ id, name }) => (
        <label key={id}>
          <input
            type="checkbox"
            checked={choice.beside.includes(id)}
            onChange={() => change({ beside: [...toggled(choice.beside, id)] })}
          />{" "}
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
    <label>
      {label}{" "}
      <select value={String(choice[name])} onChange={(event) => change({ [name]: event.currentTarget.value })}>
        <option value="">{any}</option>
        {values.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
  const same = (values: string[]): [string, string][] => values.map((value) => [value, value]);
  const on = fitting.filter(({ key }) => !choice.off.includes(key)).length,
    left = held.reduce((sum, [, laid]) => sum + laid.left, 0);
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
        <Wrong key={error} text={error} />
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
              onChange={() => change({ off: [...toggled(choice.off, key)] })}
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
