// The panel of events.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Range } from "./address";
import type { Events } from "./data";
import { Dot } from "./dot";
import type { Shared } from "./shared";
import { joined } from "./words";

/** Moves the focus to the next or previous row of a list with the arrow keys. */
function walkRows(event: KeyboardEvent): void {
  const sign = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const list = event.currentTarget as HTMLElement,
    rows = [...list.querySelectorAll<HTMLElement>("button.event")];
  if (!sign || !rows.length) return;
  const place = rows.indexOf(document.activeElement as HTMLElement);
  const next = place < 0 ? (list.querySelector<HTMLElement>(".event.now") ?? rows[0]) : rows[place + sign];
  next?.focus();
  event.preventDefault();
}

export function EventsPanel({
  shared,
  events,
  kinds,
  onKinds,
  search,
  onSearch,
  loading,
  range,
}: {
  shared: Shared;
  events: Events | null;
  kinds: string[];
  onKinds: (kinds: string[]) => void;
  search: string;
  onSearch: (text: string) => void;
  loading: boolean;
  range: Range | null;
}) {
  const { summary, cast, playback, words } = shared;
  const list = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const columns = events?.columns;
  const wanted = search.toLowerCase();
  const rows: number[] = [];
  columns?.tick.forEach((tick, row) => {
    if (range && (tick < range[0] || tick > range[1])) return;
    if (
      !wanted ||
      `${columns.kind[row]} ${words.kind(columns.kind[row])} ${columns.text[row]} ${cast.name(columns.player[row])}`
        .toLowerCase()
        .includes(wanted)
    )
      rows.push(row);
  });
  const tick = Math.floor(playback.tick);
  let now = rows.length;
  while (now > 0 && columns && columns.tick[rows[now - 1]] > tick) now--;
  const HEIGHT = 26;
  useEffect(() => {
    const box = list.current;
    const at = now * HEIGHT;
    if (box && (at < box.scrollTop + HEIGHT || at > box.scrollTop + box.clientHeight))
      box.scrollTop = Math.max(0, at - box.clientHeight / 2);
  }, [now]);
  const first = Math.max(0, Math.floor(top / HEIGHT) - 5);
  const visible = rows.slice(first, first + 60);
  const others = Object.keys(summary.kinds).filter((kind) => !summary.notable.includes(kind));
  const thinned = Object.entries(events?.every ?? {})
    .filter(([kind]) => kinds.includes(kind))
    .map(([kind, every]) => `; of ${events?.counts[kind]} of “${words.kind(kind)}” one in ${every} is shown`);
  const toggle = (kind: string): void =>
    onKinds(kinds.includes(kind) ? kinds.filter((each) => each !== kind) : [...kinds, kind]);
  return (
    <div class="events">
      <div class="filters" role="group" aria-label="kinds of events">
        {[...new Set([...summary.notable, ...kinds])]
          .filter((kind) => !events || !kinds.includes(kind) || events.counts[kind])
          .map((kind) => (
            <button
              key={kind}
              data-kind={kind}
              aria-pressed={kinds.includes(kind)}
              title={summary.kinds[kind]}
              onClick={() => toggle(kind)}
            >
              {words.kind(kind)}
              {kinds.includes(kind) && events ? <small> {events.counts[kind] ?? 0}</small> : null}
            </button>
          ))}
        {shared.source.live && others.length > 0 && (
          <select
            aria-label="more kinds of events"
            value=""
            onChange={(event) => {
              const kind = event.currentTarget.value;
              if (kind) toggle(kind);
            }}
          >
            <option value="">more…</option>
            {others
              .filter((kind) => !kinds.includes(kind))
              .map((kind) => (
                <option key={kind} value={kind}>
                  {kind}
                </option>
              ))}
          </select>
        )}
      </div>
      <input
        type="search"
        id="search"
        placeholder="search events and names  ( / )"
        aria-label="search events"
        value={search}
        onInput={(event) => onSearch(event.currentTarget.value)}
      />
      <p class="dim small" role="status">
        {loading
          ? "reading the recording…"
          : `${rows.length} event${rows.length === 1 ? "" : "s"}${range ? " in the range" : ""}${thinned.join("")}${events?.hidden ? `; ${events.hidden} of the game's bookkeeping are not shown` : ""}`}
      </p>
      <div
        class="list"
        ref={list}
        tabIndex={0}
        role="region"
        aria-label="events"
        onKeyDown={walkRows}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <div style={{ height: `${rows.length * HEIGHT}px`, position: "relative" }}>
          {columns &&
            visible.map((row, place) => (
              <button
                key={row}
                class={`event ${first + place === now - 1 ? "now" : ""}`}
                style={{ top: `${(first + place) * HEIGHT}px` }}
                onClick={() => playback.seek(columns.tick[row])}
              >
                <time>{shared.time(columns.tick[row]).replace(" paused", "")}</time>
                <Dot cast={cast} player={columns.player[row]} team={columns.team[row]} />
                <b>{words.kind(columns.kind[row])}</b>
                <span dir="auto">{joined([...new Set([cast.name(columns.player[row]), columns.text[row]])])}</span>
              </button>
            ))}
        </div>
      </div>
    </div>
  );
}
