// The panel of one thing: its fields, and the changes of one of them.
import { useEffect, useRef, useState } from "preact/hooks";
import type { History, Thing } from "./data";
import { useLoaded } from "./hooks/loaded";
import type { Playback } from "./playback";
import type { Shared } from "./shared";
import { valueText } from "./words";
import { Wrong } from "./status";

function Spark({ history, playback }: { history: History; playback: Playback }) {
  const values = history.changes.map((change) => change.value);
  if (!values.every((value) => typeof value === "number") || values.length < 2) return null;
  const numbers = values as number[];
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const x = (tick: number): number => ((tick - history.start) / Math.max(1, history.end - history.start)) * 300;
  const y = (value: number): number => 46 - (high > low ? (value - low) / (high - low) : 0.5) * 42;
  let line = "";
  history.changes.forEach((change, place) => {
    line += `${place ? `H${x(change.tick)}V` : `M${x(change.tick)} `}${y(numbers[place])}`;
  });
  return (
    <svg viewBox="0 0 300 50" class="spark" role="img" aria-label={`${history.field} from ${low} to ${high}`}>
      <path d={`${line}H300`} />
      <line x1={x(playback.tick)} x2={x(playback.tick)} y1="0" y2="50" />
    </svg>
  );
}

export function InspectPanel({
  shared,
  id,
  tick,
  label,
  onFollow,
  follow,
}: {
  shared: Shared;
  id: string | null;
  tick: number;
  label: string;
  onFollow: () => void;
  follow: boolean;
}) {
  const { source, match, playback } = shared;
  const [field, setField] = useState<string | null>(null);
  const [search, setSearch] = useState("");
  const { found, error } = useLoaded<Thing | null>(
    async () => (id && source.live ? source.get<Thing>(match, "thing", { tick, id }) : null),
    [id, tick],
  );
  const { found: history } = useLoaded<History | null>(
    async () => (id && field && source.live ? source.get<History>(match, "history", { tick, id, field }) : null),
    [id, field, Math.floor(tick / (10 * shared.summary.rate))],
  );
  // The changes around the playhead; the last one before it set the shown value.
  const now = history ? history.changes.findLastIndex((change) => change.tick <= playback.tick) : -1;
  const near = history?.changes.slice(Math.max(0, now - 30), Math.max(0, now - 30) + 60) ?? [];
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const row = list.current?.querySelector<HTMLElement>(".now");
    if (row && list.current) list.current.scrollTop = row.offsetTop - list.current.offsetTop;
  }, [history, now]);
  if (!id) return <p class="hint">Choose a unit on the map, or a player, to see its fields.</p>;
  const fields = Object.entries(found?.fields ?? {}).filter(([key]) =>
    key.toLowerCase().includes(search.toLowerCase()),
  );
  return (
    <div class="inspect">
      <header>
        <b dir="auto">{label}</b>{" "}
        <button aria-pressed={follow} onClick={onFollow}>
          follow (F)
        </button>
      </header>
      {!source.live && <p class="dim">This report has no fields; they are in the recording.</p>}
      <Wrong text={error} />
      {source.live && (
        <input
          type="search"
          placeholder="find a field"
          aria-label="find a field"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      {field && history && (
        <section class="history">
          <b>{field}</b> <span class="dim">values within 30 s, and the messages that changed them</span>
          <Spark history={history} playback={playback} />
          <ol ref={list} tabIndex={0} aria-label={`changes of ${field}`}>
            {near.map((change) => (
              <li key={change.tick} class={change === history.changes[now] ? "now" : ""}>
                <button class="link" onClick={() => playback.seek(change.tick)}>
                  {shared.time(change.tick)}
                </button>{" "}
                <b>{valueText(change.value) || "none"}</b> <span class="dim">tick {change.tick}</span>
                {change.why && (
                  <p class="why">
                    {change.why.did.toLowerCase().replace(/[|_]/g, " and ")} by {change.why.message}
                    {change.why.place !== null &&
                      `, message ${change.why.place} of ${change.why.count}, ${change.why.size} bytes`}
                    , in {change.why.packet}, frame {change.why.frame} at byte {change.why.offset}
                  </p>
                )}
              </li>
            ))}
          </ol>
        </section>
      )}
      <table class="fields">
        <tbody>
          {fields.map(([key, value]) => (
            <tr key={key} class={key === field ? "chosen" : ""}>
              <th scope="row">
                <button class="link" onClick={() => setField(key)}>
                  {key}
                </button>
              </th>
              <td dir="auto">{valueText(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
