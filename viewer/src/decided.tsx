// The summary: what decided the match, and a table of the players.
import { useState } from "preact/hooks";
import { sortedBy } from "./board";
import type { Decided, Opening } from "./data";
import { Icon } from "./icons";
import { orderOf } from "./order";
import type { Shared } from "./shared";
import { Reading } from "./status";

/** Seconds before the moment that decided the match at which its button begins to play, and the number of tiles beside it. */
const BEFORE = 15,
  TILES = 3;
const RESULT = "the result";

type Line = Decided["lines"][number];

/** Shares the seconds around a tick. */
const sharing =
  ({ share, summary }: Shared, tick: number) =>
  (event: MouseEvent): void => {
    event.preventDefault();
    share([tick - BEFORE * summary.rate, tick + BEFORE * summary.rate]);
  };

function Tile({ shared, line }: { shared: Shared; line: Line }) {
  const { cast, playback, time } = shared,
    { tick, rule, text, team } = line,
    there = tick > playback.first;
  return (
    <li style={{ "--side": team === null ? "var(--rule)" : cast.colour(null, team) }}>
      <button onClick={() => playback.seek(tick)} onContextMenu={sharing(shared, tick)} disabled={!there}>
        <span class="dim">
          {rule} {there && <time>{time(tick)}</time>}
        </span>
        <b>
          {team === null || text.includes(cast.teamName(team)) || rule === RESULT ? "" : `${cast.teamName(team)}: `}
          {text}
        </b>
      </button>
    </li>
  );
}

/** What decided the match, with a button that plays it, and some tiles. */
export function Tiles({
  shared,
  decided,
  opening,
}: {
  shared: Shared;
  decided: Decided | null;
  opening: Opening | null | undefined;
}) {
  const { playback, summary } = shared;
  const [rule, text] = (opening?.label ?? "").split(/: (.*)/);
  const lines = (decided?.lines ?? []).filter((each) => each.rule !== RESULT && each.rule !== rule);
  const play = (): void => {
    playback.seek((opening?.tick ?? 0) - BEFORE * summary.rate);
    if (!playback.playing) playback.toggle();
  };
  return (
    <ul class="tiles decided">
      {opening && (
        <li class="first">
          <button onClick={play} onContextMenu={sharing(shared, opening.tick)} title="plays it">
            <span class="dim">
              {rule} <time>{shared.time(opening.tick)}</time>
            </span>
            <b>
              <Icon name="play" />
              <span class="sr">play:</span> {text}
            </b>
          </button>
        </li>
      )}
      {lines.slice(0, TILES).map((line) => (
        <Tile key={line.rule} shared={shared} line={line} />
      ))}
    </ul>
  );
}

export function DecidedPanel({ shared, found }: { shared: Shared; found: Decided | null }) {
  const { cast, time, words } = shared;
  const [order, setOrder] = useState("");
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
        {found.lines.map((line, place) => (
          <Tile key={place} shared={shared} line={line} />
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
      {!found.lines.length && !rows.length && <p class="hint">no result in the file</p>}
    </div>
  );
}
