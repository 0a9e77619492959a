// The panel of tables, which loads pages while it is scrolled, and of SQL over all tables.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Range } from "./address";
import type { Rows } from "./data";
import { Icon } from "./icons";
import { orderOf } from "./order";
import type { Shared } from "./shared";
import { timeText } from "./time";
import { valueText } from "./words";
import { Reading, Wrong } from "./status";

const HEIGHT = 24,
  PAGE = 200;

/** Whether a column has moments, in seconds: it stands beside one of ticks. */
export function isMoment(column: string, columns: string[]): boolean {
  const role = /^(.*?)(game_)?seconds$/.exec(column)?.[1];
  return role !== undefined && columns.includes(`${role}tick`);
}

/** The colour of a cell of column `lead`, from -1 (worse) to 1. */
function heat(value: unknown): string | undefined {
  if (typeof value !== "number") return undefined;
  const strength = Math.round(Math.min(1, Math.abs(value)) * 55);
  return `color-mix(in srgb, ${value < 0 ? "#d55e00" : "#009e73"} ${strength}%, transparent)`;
}

/** What the panel shows: a table with its order and search, or the result of `sql`. */
export interface Browsed {
  table: string;
  sort: string | null;
  rows: string;
  sql: string | null;
}

export function TablesPanel({
  shared,
  browsed,
  onBrowsed,
  range,
}: {
  shared: Shared;
  browsed: Browsed;
  onBrowsed: (browsed: Browsed) => void;
  range: Range | null;
}) {
  const { table: name, rows: search, sql: asked } = browsed;
  const { source, match, summary, playback } = shared;
  const { by: sorted, turned: descending } = orderOf(browsed.sort ?? "");
  const [query, setQuery] = useState(asked ?? `SELECT kind, count(*) AS n FROM events GROUP BY kind ORDER BY n DESC`);
  const [row, setRow] = useState(-1);
  const [draft, setDraft] = useState(search);
  useEffect(() => setDraft(search), [search]);
  const [head, setHead] = useState<Rows | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [top, setTop] = useState(0);
  const [, again] = useState(0);
  const pages = useRef(new Map<number, unknown[][]>());
  const box = useRef<HTMLDivElement>(null);
  const wanted = useRef(0);

  const load = useCallback(
    (offset: number): void => {
      const turn = wanted.current;
      if (pages.current.has(offset)) return;
      pages.current.set(offset, []);
      const answer =
        asked !== null
          ? source.get<Rows>(match, "sql", { q: asked })
          : source.get<Rows>(match, "table", {
              name,
              offset,
              search,
              sort: sorted,
              descending: descending ? 1 : 0,
              ...(range && { from: range[0], to: range[1] }),
            });
      answer.then(
        (found) => {
          if (turn !== wanted.current) return;
          for (let place = 0; place < Math.max(1, found.rows.length); place += PAGE)
            pages.current.set(offset + place, found.rows.slice(place, place + PAGE));
          setHead(found);
          setError(null);
          again((count) => count + 1);
        },
        (failure) => {
          if (turn === wanted.current) {
            setError(failure.message);
            setHead(null);
          }
        },
      );
    },
    [source, match, name, search, sorted, descending, asked, range],
  );
  useEffect(() => {
    wanted.current++;
    pages.current = new Map();
    setHead(null);
    setError(null);
    setTop(0);
    setRow(-1);
    if (box.current) box.current.scrollTop = 0;
    load(0);
  }, [load]);

  const first = Math.max(0, Math.floor(top / HEIGHT) - 8);
  const shownRows: [number, unknown[] | null][] = [];
  const total = head ? Math.min(head.total, asked !== null ? head.rows.length || head.total : head.total) : 0;
  for (let each = first; each < Math.min(total, first + 70); each++) {
    const page = Math.floor(each / PAGE) * PAGE;
    if (!pages.current.has(page) && asked === null) load(page);
    shownRows.push([each, pages.current.get(page)?.[each - page] ?? null]);
  }
  const tickColumn = head?.columns.indexOf("tick") ?? -1;
  const seekTo = (values: unknown[] | null): void => {
    if (values && tickColumn >= 0 && typeof values[tickColumn] === "number") playback.seek(values[tickColumn]);
  };
  /** Arrow keys choose a row, Enter goes to its tick. */
  const walk = (event: KeyboardEvent): void => {
    const box = event.currentTarget as HTMLElement;
    if (event.key === "Enter") seekTo(shownRows.find(([each]) => each === row)?.[1] ?? null);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const next = Math.max(
        0,
        Math.min(total - 1, row < 0 ? Math.floor(box.scrollTop / HEIGHT) : row + (event.key === "ArrowDown" ? 1 : -1)),
      );
      setRow(next);
      if (next * HEIGHT < box.scrollTop || (next + 3) * HEIGHT > box.scrollTop + box.clientHeight)
        box.scrollTop = Math.max(0, (next - 4) * HEIGHT);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const links: Record<string, string | number> =
    asked !== null ? { q: asked } : { name, ...(range && { from: range[0], to: range[1] }) };
  const kept =
    asked !== null ? "rows of the query" : range && tickColumn >= 0 ? "rows in the range" : "all rows of the table";
  return (
    <div class="tables">
      <div class="bar">
        <label>
          table{" "}
          <select
            value={asked !== null ? "" : name}
            onChange={(event) =>
              onBrowsed({ table: event.currentTarget.value || name, sort: null, rows: "", sql: null })
            }
          >
            {asked !== null && <option value="">(query)</option>}
            {summary.tables.map((each) => (
              <option key={each.name} value={each.name}>
                {each.name}
              </option>
            ))}
          </select>
        </label>
        {asked === null && (
          <input
            type="search"
            placeholder="only rows with…"
            aria-label="only rows with"
            value={draft}
            onInput={(event) => setDraft(event.currentTarget.value)}
            onChange={(event) => onBrowsed({ ...browsed, rows: event.currentTarget.value })}
          />
        )}
        {source.live && (
          <>
            <a href={source.link(match, "download", { ...links, format: "csv" })} title={kept} download>
              CSV
            </a>
            <a href={source.link(match, "download", { ...links, format: "parquet" })} title={kept} download>
              Parquet
            </a>
          </>
        )}
      </div>
      {source.live && (
        <form
          class="sql"
          onSubmit={(event) => {
            event.preventDefault();
            onBrowsed({ ...browsed, sql: query });
          }}
        >
          <textarea
            rows={2}
            aria-label="SQL"
            spellcheck={false}
            value={query}
            onInput={(event) => setQuery(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
                event.preventDefault();
                onBrowsed({ ...browsed, sql: query });
              }
            }}
          />
          <button type="submit">run SQL</button>
        </form>
      )}
      {asked === null && <p class="dim small doc">{summary.tables.find((each) => each.name === name)?.doc}</p>}
      <Wrong text={error} />
      {!head && !error && <Reading />}
      {head && (
        <p class="dim small" role="status" data-rows={head.total}>
          {head.total} rows
          {asked !== null && head.rows.length < head.total ? `, the first ${head.rows.length} shown` : ""}
          {range && asked === null && head.columns.includes("tick") ? " in the range" : ""}
          {(head.whole ?? 0) > (head.kept ?? 0) ? `; the report has the first ${head.kept} of ${head.whole}` : ""}
        </p>
      )}
      <div
        class="grid"
        ref={box}
        tabIndex={0}
        role="region"
        aria-label="rows; arrow keys choose one, Enter goes to its time"
        data-enter
        onKeyDown={walk}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        {head && (
          <table>
            <thead>
              <tr>
                {head.columns.map((column, place) => (
                  <th
                    key={column}
                    scope="col"
                    aria-sort={sorted === column ? (descending ? "descending" : "ascending") : "none"}
                  >
                    <button
                      class="link"
                      title={head.types[place]}
                      disabled={asked !== null}
                      onClick={() =>
                        onBrowsed({ ...browsed, sort: sorted === column && !descending ? `-${column}` : column })
                      }
                    >
                      {column}
                      {sorted === column && <Icon name={descending ? "down" : "up"} />}
                    </button>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              <tr aria-hidden="true" style={{ height: `${first * HEIGHT}px` }} />
              {shownRows.map(([each, values]) => (
                <tr
                  key={each}
                  class={`${tickColumn >= 0 ? "seeks" : ""} ${each === row ? "chosen" : ""}`}
                  aria-current={each === row ? "true" : undefined}
                  onClick={() => {
                    setRow(each);
                    seekTo(values);
                  }}
                >
                  {head.columns.map((column, place) => {
                    const value = values?.[place];
                    const moment = typeof value === "number" && isMoment(column, head.columns);
                    return (
                      <td
                        key={column}
                        dir="auto"
                        title={moment ? `${valueText(value)} s` : undefined}
                        style={column === "lead" ? { background: heat(value) } : undefined}
                      >
                        {values ? (moment ? timeText(value) : valueText(value)) : "…"}
                      </td>
                    );
                  })}
                </tr>
              ))}
              <tr
                aria-hidden="true"
                style={{ height: `${Math.max(0, total - first - shownRows.length) * HEIGHT}px` }}
              />
            </tbody>
          </table>
        )}
      </div>
    </div>
  );
}
