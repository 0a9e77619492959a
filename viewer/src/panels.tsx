// The panels beside the map: players, events, one thing, problems.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Chapter, Events, History, Moment, Problem, Thing, Mark } from "./data";
import type { Range } from "./address";
import { Board, FIRST } from "./board";
import { useLoaded } from "./hooks/loaded";
import type { Cast } from "./cast";
import type { Playback } from "./playback";
import type { Shared } from "./shared";
import { valueText } from "./words";

function Dot({ cast, player, team, now }: { cast: Cast; player: number | null; team?: number | null; now?: boolean }) {
  const side = cast.side(player, team, now);
  return (
    <span
      class={`dot ${cast.sided && side % 2 === 1 ? "square" : ""}`}
      style={{ background: cast.colour(player, team, now) }}
      aria-hidden="true"
    >
      {player ?? ""}
    </span>
  );
}

/** Limit of the units and values of a card; more are counted. */
const MOST_ITEMS = 12;

export function PlayersPanel({
  shared,
  moment,
  hidden,
  onHide,
  onSelect,
  selected,
  board,
  onBoard,
  marks,
  chapters,
}: {
  shared: Shared;
  moment: Moment | null;
  hidden: Set<number>;
  onHide: (player: number) => void;
  onSelect: (player: number) => void;
  selected: number | null;
  board: string | null;
  onBoard: (order: string | null) => void;
  marks: Mark[];
  chapters: Chapter[];
}) {
  const { cast, summary, words } = shared;
  const rows = moment?.players.length ? moment.players : (summary.players as unknown as Record<string, unknown>[]);
  const made = (player: number | null): Record<string, unknown>[] =>
    player === null
      ? []
      : (moment?.units ?? [])
          .filter((unit) => unit.player === player && unit.count && !words.hides(unit.unit_type))
          .sort((a, b) => Number(b.count) - Number(a.count));
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Somebody who is chosen on the map is in sight here; a phone scrolls the page instead, and keeps its place.
    const panel = list.current?.parentElement,
      card = list.current?.querySelector<HTMLElement>(".chosen");
    if (!panel || !card || panel.scrollHeight <= panel.clientHeight) return;
    const top = card.offsetTop - panel.offsetTop;
    if (top < panel.scrollTop || top + card.offsetHeight > panel.scrollTop + panel.clientHeight)
      panel.scrollTop = top - 40;
  }, [selected]);
  return (
    <div ref={list} class="players">
      <div class="filters" role="group" aria-label="players as">
        <button type="button" aria-pressed={board === null} onClick={() => onBoard(null)}>
          cards
        </button>
        <button type="button" aria-pressed={board !== null} onClick={() => onBoard("kills")}>
          scoreboard
        </button>
      </div>
      {board !== null && (
        <Board
          shared={shared}
          moment={moment}
          order={board}
          onOrder={onBoard}
          onSelect={onSelect}
          selected={selected}
          marks={marks}
          chapters={chapters}
        />
      )}
      {moment && Math.abs(moment.tick - shared.playback.tick) > summary.rate && (
        <p class="dim small">as at {shared.time(moment.tick)}</p>
      )}
      {board === null &&
        rows.map((row) => {
          const number = row.player as number | null;
          const known = cast.player(number);
          const held = number === null ? {} : (moment?.resources[String(number)] ?? {});
          const facts = Object.entries({ ...row, ...held }).filter(
            ([key, value]) =>
              !words.hidesFact(key) &&
              value !== null &&
              value !== "" &&
              (value !== 0 || FIRST.includes(key)) &&
              typeof value !== "boolean" &&
              !(Array.isArray(value) && !value.length),
          );
          const keys = Object.entries(row).filter(
            ([key, value]) => typeof value === "boolean" && !words.hidesFact(key) && (value || !key.includes("_")),
          ); // a key that is not pressed, but not all that a player lacks
          const items = (row.items ?? []) as string[];
          const health = row.health as number | null,
            most = row.max_health as number | null;
          return (
            <section
              class={`detail ${selected !== null && selected === number ? "chosen" : ""} ${row.alive === false ? "dead" : ""}`}
              key={`${number}-${row.name}`}
            >
              <header>
                <Dot cast={cast} player={number} team={row.team as number | null} now />
                <button type="button" class="link name" dir="auto" onClick={() => number !== null && onSelect(number)}>
                  {(row.name as string) || known?.name || "unnamed"}
                </button>
                <span class="dim">
                  {[
                    words.name(known?.character ?? ""),
                    known?.side && cast.teamName((row.team ?? known.team) as number),
                    known?.result,
                  ]
                    .filter(Boolean)
                    .join(" · ")}
                </span>
                {row.alive === false && <span class="badge">dead</span>}
                {number !== null && (
                  <label class="eye">
                    <input type="checkbox" checked={!hidden.has(number)} onChange={() => onHide(number)} />
                    <span class="sr">show {cast.name(number)} on the map</span>
                  </label>
                )}
              </header>
              {most ? (
                <div class="health" role="img" aria-label={`health ${health} of ${most}`}>
                  <i style={{ width: `${Math.max(0, Math.min(100, (100 * (health ?? 0)) / most))}%` }} />
                  <b>
                    {health} / {most}
                  </b>
                </div>
              ) : null}
              {keys.length > 0 && (
                <p class="items">
                  {keys.map(([key, value]) => (
                    <span key={key} class={value ? "on" : "off"}>
                      {words.factName(key)}
                      <span class="sr">{value ? " pressed" : " not pressed"}</span>
                    </span>
                  ))}
                </p>
              )}
              <dl>
                {facts
                  .slice(0, 14)
                  .map(([key, value]) => [key, words.factValue(key, value, MOST_ITEMS)])
                  .filter(([, text]) => text)
                  .map(([key, text]) => (
                    <div key={key}>
                      <dt>{words.factName(key)}</dt>
                      <dd>{text}</dd>
                    </div>
                  ))}
              </dl>
              {made(number).length > 0 && (
                <p class="items">
                  {made(number)
                    .slice(0, 2 * MOST_ITEMS)
                    .map((unit) => (
                      <span key={String(unit.unit_type)}>
                        {String(unit.count)} {words.name(String(unit.unit_type))}
                      </span>
                    ))}
                  {made(number).length > 2 * MOST_ITEMS && (
                    <span class="off">and {made(number).length - 2 * MOST_ITEMS} more kinds</span>
                  )}
                </p>
              )}
              {items.length > 0 && (
                <p class="items">
                  {items.map((item, place) => (
                    <span key={place}>{words.name(item)}</span>
                  ))}
                </p>
              )}
            </section>
          );
        })}
    </div>
  );
}

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
              type="button"
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
          : `${rows.length} events${range ? " in the range" : ""}${thinned.join("")}${events?.hidden ? `; ${events.hidden} of the game's bookkeeping are not shown` : ""}`}
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
                type="button"
                key={row}
                class={`event ${first + place === now - 1 ? "now" : ""}`}
                style={{ top: `${(first + place) * HEIGHT}px` }}
                onClick={() => playback.seek(columns.tick[row])}
              >
                <time>{shared.time(columns.tick[row]).replace(" paused", "")}</time>
                <Dot cast={cast} player={columns.player[row]} team={columns.team[row]} />
                <b>{words.kind(columns.kind[row])}</b>
                <span dir="auto">
                  {[...new Set([cast.name(columns.player[row]), columns.text[row]])].filter(Boolean).join(" · ")}
                </span>
              </button>
            ))}
        </div>
      </div>
    </div>
  );
}

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
        <button type="button" aria-pressed={follow} onClick={onFollow}>
          follow (F)
        </button>
      </header>
      {!source.live && <p class="dim">This report has no fields; they are in the recording.</p>}
      {error && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
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
                <button type="button" class="link" onClick={() => playback.seek(change.tick)}>
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
                <button type="button" class="link" onClick={() => setField(key)}>
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

export function ProblemsPanel({ shared }: { shared: Shared }) {
  const { found, error } = useLoaded<Problem[]>(() => shared.source.get<Problem[]>(shared.match, "problems"), []);
  if (error)
    return (
      <p class="error" role="alert">
        {error}
      </p>
    );
  if (!found)
    return (
      <p class="dim" role="status">
        reading the whole recording…
      </p>
    );
  if (!found.length) return <p class="hint">Everything in the recording could be read.</p>;
  return (
    <ol class="problems">
      {found.map((problem, place) => (
        <li key={place}>
          <b>{problem.what}</b>
          <p class="dim">
            {problem.where}
            {problem.offset === null ? "" : `, byte ${problem.offset}`}
            {problem.tick === null ? "" : ", "}
            {problem.tick !== null && (
              <button type="button" class="link" onClick={() => shared.playback.seek(problem.tick as number)}>
                {shared.time(problem.tick)}
              </button>
            )}
          </p>
          <p>missing: {problem.cost}</p>
        </li>
      ))}
    </ol>
  );
}
