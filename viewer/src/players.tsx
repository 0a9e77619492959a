// The panel of players: cards, or the scoreboard.
import { useEffect, useRef } from "preact/hooks";
import { Board, FIRST } from "./board";
import { AsAt } from "./columns";
import type { Moment, Story } from "./data";
import { Dot } from "./dot";
import type { Shared } from "./shared";
import { joined } from "./words";

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
  story,
}: {
  shared: Shared;
  moment: Moment | null;
  hidden: Set<number>;
  onHide: (player: number) => void;
  onSelect: (player: number) => void;
  selected: number | null;
  board: string | null;
  onBoard: (order: string | null) => void;
  story: Story;
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
        <button aria-pressed={board === null} onClick={() => onBoard(null)}>
          cards
        </button>
        <button aria-pressed={board !== null} onClick={() => onBoard("kills")}>
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
          story={story}
        />
      )}
      {!summary.has_map && <AsAt shared={shared} moment={moment} />}
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
                <button class="link name" dir="auto" onClick={() => number !== null && onSelect(number)}>
                  {(row.name as string) || known?.name || "unnamed"}
                </button>
                <span class="dim">
                  {joined([
                    words.name(known?.character ?? ""),
                    known?.side && cast.teamName((row.team ?? known.team) as number),
                    known?.result,
                  ])}
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
