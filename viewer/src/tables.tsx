// The panel of tables, which loads pages while it is scrolled, and of SQL over all tables.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Rows } from "./data";
import type { Shared } from "./shared";
import { valueText } from "./words";

const HEIGHT = 24, PAGE = 200;

export function TablesPanel({ shared, name, onName }: { shared: Shared; name: string; onName: (name: string) => void }) {
  const { source, match, summary, playback } = shared;
  const [sort, setSort] = useState<{ column: string; descending: boolean }>({ column: "", descending: false });
  const [search, setSearch] = useState("");
  const [query, setQuery] = useState(`SELECT kind, count(*) AS n FROM events GROUP BY kind ORDER BY n DESC`);
  const [asked, setAsked] = useState<string | null>(null);
  const [head, setHead] = useState<Rows | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [top, setTop] = useState(0);
  const [, again] = useState(0);
  const pages = useRef(new Map<number, unknown[][]>());
  const box = useRef<HTMLDivElement>(null);
  const wanted = useRef(0);

  const load = useCallback((offset: number): void => {
    const turn = wanted.current;
    if (pages.current.has(offset)) return;
    pages.current.set(offset, []);
    const answer = asked !== null
      ? source.get<Rows>(match, "sql", { q: asked })
      : source.get<Rows>(match, "table", { name, offset, search, sort: sort.column, descending: sort.descending ? 1 : 0 });
    answer.then((found) => {
      if (turn !== wanted.current) return;
      for (let place = 0; place < Math.max(1, found.rows.length); place += PAGE) pages.current.set(offset + place, found.rows.slice(place, place + PAGE));
      setHead(found); setError(null); again((count) => count + 1);
    }, (failure) => { if (turn === wanted.current) { setError(failure.message); setHead(null); } });
  }, [source, match, name, search, sort, asked]);
  useEffect(() => {
    wanted.current++;
    pages.current = new Map();
    setHead(null); setError(null); setTop(0);
    if (box.current) box.current.scrollTop = 0;
    load(0);
  }, [load]);

  const first = Math.max(0, Math.floor(top / HEIGHT) - 8);
  const shownRows: [number, unknown[] | null][] = [];
  const total = head ? Math.min(head.total, asked !== null ? head.rows.length || head.total : head.total) : 0;
  for (let row = first; row < Math.min(total, first + 70); row++) {
    const page = Math.floor(row / PAGE) * PAGE;
    if (!pages.current.has(page) && asked === null) load(page);
    shownRows.push([row, pages.current.get(page)?.[row - page] ?? null]);
  }
  const tickColumn = head?.columns.indexOf("tick") ?? -1;
  const links: Record<string, string> = asked !== null ? { q: asked } : { name };
  return (
    <div class="tables">
      <div class="bar">
        <label>table <select value={asked !== null ? "" : name} onChange={(event) => { setAsked(null); setSort({ column: "", descending: false }); if (event.currentTarget.value) onName(event.currentTarget.value); }}>
          {asked !== null && <option value="">(query)</option>}
          {summary.tables.map((each) => <option key={each.name} value={each.name}>{each.name}</option>)}
        </select></label>
        {asked === null && <input type="search" placeholder="only rows with…" aria-label="only rows with" value={search} onChange={(event) => setSearch(event.currentTarget.value)} />}
        {source.live && <><a href={source.link(match, "download", { ...links, format: "csv" })} download>CSV</a><a href={source.link(match, "download", { ...links, format: "parquet" })} download>Parquet</a></>}
      </div>
      {source.live && (
        <form class="sql" onSubmit={(event) => { event.preventDefault(); setAsked(query); }}>
          <textarea rows={2} aria-label="SQL" spellcheck={false} value={query} onInput={(event) => setQuery(event.currentTarget.value)}
            onKeyDown={(event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); setAsked(query); } }} />
          <button type="submit">run SQL</button>
        </form>
      )}
      {asked === null && <p class="dim small doc">{summary.tables.find((each) => each.name === name)?.doc}</p>}
      {error && <p class="error" role="alert">{error}</p>}
      {!head && !error && <p class="dim" role="status">reading the recording…</p>}
      {head && <p class="dim small" role="status" data-rows={head.total}>{head.total} rows{asked !== null && head.rows.length < head.total ? `, the first ${head.rows.length} shown` : ""}</p>}
      <div class="grid" ref={box} tabIndex={0} role="region" aria-label="rows" onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
        {head && (
          <table>
            <thead><tr>{head.columns.map((column, place) => (
              <th key={column} scope="col" aria-sort={sort.column === column ? (sort.descending ? "descending" : "ascending") : "none"}>
                <button type="button" class="link" title={head.types[place]} disabled={asked !== null} onClick={() => setSort({ column, descending: sort.column === column && !sort.descending })}>{column}{sort.column === column ? (sort.descending ? " ↓" : " ↑") : ""}</button>
              </th>
            ))}</tr></thead>
            <tbody>
              <tr aria-hidden="true" style={{ height: `${first * HEIGHT}px` }} />
              {shownRows.map(([row, values]) => (
                <tr key={row} class={tickColumn >= 0 ? "seeks" : ""} onClick={() => { if (values && tickColumn >= 0 && typeof values[tickColumn] === "number") playback.seek(values[tickColumn] as number); }}>
                  {head.columns.map((column, place) => <td key={column} dir="auto">{values ? valueText(values[place]) : "…"}</td>)}
                </tr>
              ))}
              <tr aria-hidden="true" style={{ height: `${Math.max(0, total - first - shownRows.length) * HEIGHT}px` }} />
            </tbody>
          </table>
        )}
      </div>
    </div>
  );
}
