// The summary: what decided the match, and a table of the players.
import { useState } from "preact/hooks";
import { sortedBy } from "./board";
import type { Decided } from "./data";
import { useLoaded } from "./hooks/loaded";
import { Icon } from "./icons";
import { orderOf } from "./order";
import type { Shared } from "./shared";
import { Reading } from "./status";

export function DecidedPanel({ shared }: { shared: Shared }) {
  const { source, match, cast, playback, time, words } = shared;
  const { found, error } = useLoaded(() => source.get<Decided>(match, "decided"), [source, match]);
  const [order, setOrder] = useState("");
  if (error) return <p class="hint">{error}</p>;
  if (!found) return <Reading />;
  const { by, turned } = orderOf(order);
  const rows = found.rows.map((row) => Object.fromEntries(found.columns.map((name, place) => [name, row[place]])));
  const shown = (name: string, value: unknown): string =>
    name === "player" && typeof value === "number"
      ? cast.name(value)
      : name === "tick" && typeof value === "number"
        ? time(value)
        : typeof value === "number"
          ? value.toLocaleString("en", { maximumFractionDigits: Math.abs(value) < 10 ? 2 : 0 })
          : words.factValue(name, value);
  return (
    <div class="decided">
      <ol>
        {found.lines.map(({ tick, rule, text, team }, place) => (
          <li key={place} style={{ "--side": team === null ? "var(--rule)" : cast.colour(null, team) }}>
            <button onClick={() => playback.seek(tick)} disabled={tick <= playback.first}>
              <span class="dim">
                {rule} {tick > playback.first && <time>{time(tick)}</time>}
              </span>
              <b>
                {team === null || text.startsWith(cast.teamName(team)) ? "" : `${cast.teamName(team)}: `}
                {text}
              </b>
            </button>
          </li>
        ))}
      </ol>
      {rows.length > 0 && (
        <div class="board">
          <table>
            <thead>
              <tr>
                {found.columns.map((name) => (
                  <th key={name} scope="col" aria-sort={name === by ? (turned ? "ascending" : "descending") : "none"}>
                    <button class="link" onClick={() => setOrder(name === by && !turned ? `-${name}` : name)}>
                      {words.factName(name)}
                      {name === by && <Icon name={turned ? "up" : "down"} />}
                    </button>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {(order ? sortedBy(rows, order) : rows).map((row, place) => (
                <tr key={place} style={{ "--side": cast.colour(row.player as number | null) }}>
                  {found.columns.map((name, column) => {
                    const Cell = column ? "td" : "th";
                    return (
                      <Cell key={name} scope={column ? undefined : "row"}>
                        {shown(name, row[name])}
                      </Cell>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {!found.lines.length && !rows.length && <p class="hint">The recording tells nothing that decided it.</p>}
    </div>
  );
}
