// The players beside the map: one column for each of two sides, or one narrow list of all.
import type { ComponentChildren } from "preact";
import { type Row, rowsOf } from "./board";
import type { Moment, Story } from "./data";
import { pictured } from "./icons";
import type { Shared } from "./shared";
import { type Task, underWay } from "./bands";
import { timeText } from "./time";
import { MONEY, rounded } from "./words";

/** Columns of more players are narrow lists. */
const MOST_CARDS = 6;
/** Cards of so many players have room for all words. */
const FEW_CARDS = 3;
/** Kinds of units that such a card lists. */
const MOST_KINDS = 12;
/** Letters of a label that fit beside the last number. */
const SHORT = 8;

interface Props {
  shared: Shared;
  moment: Moment | null;
  selected: number | null;
  onSelect: (player: number) => void;
  story: Story;
  tasks: Task[];
  tick: number;
  /** How fast what is followed moves; null if that is unknown. */
  speed: string | null;
}

/** Two letters for a face: of the hero, or of the name; a letter and the number of a name that ends with one. */
export function monogram(name: string): string {
  const number = /(\p{L}).*?(\d{1,2})$/u.exec(name);
  if (number) return number[1].toUpperCase() + number[2];
  const words = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const letters = words.length > 1 ? words.slice(0, 2).map((word) => [...word][0]) : [...(words[0] ?? "?")].slice(0, 2);
  return letters.join("").toUpperCase();
}

function Card({
  shared,
  row,
  selected,
  onSelect,
  place,
  few,
  tick,
  story,
  tasks,
  speed,
  moment,
}: Props & {
  few: boolean;
  row: Row;
  place: number;
}) {
  const { cast, summary, words } = shared;
  const { stage } = summary.presentation;
  const number = row.player as number | null,
    known = cast.player(number);
  const name = (row.name as string) || known?.name || "unnamed";
  const hero = words.name(known?.character ?? ""),
    face = shared.pictures[known?.character ?? ""];
  const dead = row.alive === false;
  const tally = [row.kills, row.deaths, row.assists].filter((each) => each != null);
  const most = (row.max_health as number) || (typeof row.health === "number" ? 100 : 0),
    health = dead ? 0 : (row.health as number);
  const last = stage.facts.at(-1) ?? "";
  const text = (fact: string): string => {
    const value = row[fact];
    if (value === null || value === undefined || value === "") return "";
    if (fact === "hero" || fact === "race") return hero;
    if (fact === "level") return ""; // a badge of the face
    if (value === 0 && fact !== last) return "";
    if (typeof value !== "number" || MONEY.includes(fact)) return words.factValue(fact, value);
    return `${rounded(value)} ${words.factName(fact)}`;
  };
  const facts = stage.facts.map(text),
    value = row[last],
    numbers = few
      ? [last, ...stage.facts.slice(0, -1)].filter(
          (fact) => fact !== "level" && typeof row[fact] === "number" && (row[fact] || fact === last),
        )
      : [];
  const own = tasks.filter((each) => each.player === number),
    doing = underWay(own, tick);
  // Without a fact for the end of the line, the time of a run, or the last one.
  const ended = own.findLast((each) => each.bands && each.end <= tick);
  const run =
    last && facts.at(-1) ? "" : doing.length ? timeText((tick - doing[0].first.tick) / summary.rate) : ended?.name;
  const army = few ? (moment?.units ?? []).filter((unit) => unit.player === number && unit.army && unit.count) : [];
  const lists = few
    ? ([
        ["army", army.map((unit) => `${unit.count} ${words.name(String(unit.unit_type))}`)],
        [
          "in production",
          doing.map(({ name, count, first }) => {
            const rest = timeText(Math.ceil((first.end - tick) / summary.rate));
            return `${words.name(name)}${count > 1 ? ` ×${count}` : ""} ${rest}`;
          }),
        ],
      ] as const)
    : [];
  const chosen = selected !== null && selected === number;
  const keys = chosen
    ? Object.entries(row).filter(([key, on]) => typeof on === "boolean" && !words.hidesFact(key))
    : [];
  const died = dead && story.respawns.findLast((each) => each[0] <= tick && each[1] === number);
  const back = died ? died[2] - (tick - died[0]) / summary.rate : 0;
  return (
    <section
      class={`player ${chosen ? "chosen" : ""} ${dead ? "dead" : ""}`}
      style={{ "--side": cast.colour(number, row.team as number | null, true) }}
      data-player={number}
    >
      <span class={`face ${place % 2 ? "square" : ""}`} aria-hidden="true">
        {face ? <img src={face} alt="" /> : monogram(hero && stage.facts.includes("hero") ? hero : name)}
        {typeof row.level === "number" && stage.facts.includes("level") && <small title="level">{row.level}</small>}
      </span>
      <header>
        <button class="link name" dir="auto" onClick={() => number !== null && onSelect(number)}>
          {name}
        </button>
        {tally.length > 0 && (
          <span class="tally" title="kills, deaths, assists">
            {tally.join(" · ")}
          </span>
        )}
      </header>
      {most > 0 && (
        <div class="health" role="img" aria-label={`health ${health} of ${most}`}>
          <i style={{ width: `${Math.max(0, Math.min(100, (100 * (health ?? 0)) / most))}%` }} />
        </div>
      )}
      <p class="matters">
        <span>
          {dead
            ? ["dead", back > 0 ? timeText(Math.ceil(back)) : ""].filter(Boolean).join(" ")
            : facts
                .slice(0, few ? -1 : Math.min(1, facts.length - 1))
                .filter((each, place) => each && !numbers.includes(stage.facts[place]))
                .map((each, place) => [place > 0 && " · ", each === hero ? each : pictured(shared, each)])}
        </span>
        <span title={words.factName(last)}>
          {numbers.includes(last)
            ? ""
            : few || MONEY.includes(last) || typeof value !== "number" || words.factName(last).length <= SHORT
              ? facts.at(-1) || run
              : rounded(value)}
        </span>
      </p>
      {numbers.length > 0 && (
        <dl class="numbers">
          {numbers.map((fact) => (
            <div key={fact}>
              <dt>{words.factName(fact)}</dt>
              <dd>{rounded(row[fact] as number)}</dd>
            </div>
          ))}
        </dl>
      )}
      {lists.map(
        ([label, texts]) =>
          texts.length > 0 && (
            <p key={label} class="items">
              <b class="dim">{label}</b>
              {texts.slice(0, MOST_KINDS).map((text) => (
                <span key={text}>{text}</span>
              ))}
              {texts.length > MOST_KINDS && <span class="off">and {texts.length - MOST_KINDS} more</span>}
            </p>
          ),
      )}
      {keys.length > 0 && (
        <p class="items">
          {speed && <b class="dim">{speed}</b>}
          {keys
            .filter(([key, on]) => on || !key.includes("_"))
            .map(([key, on]) => (
              <span key={key} class={on ? "on" : "off"}>
                {words.factName(key)}
              </span>
            ))}
        </p>
      )}
    </section>
  );
}

/** Says of which moment the players are, where it is not the playhead's. */
export function AsAt({ shared, moment }: Pick<Props, "shared" | "moment">) {
  return moment && Math.abs(moment.tick - shared.playback.tick) > shared.summary.rate ? (
    <p class="dim small">as at {shared.time(moment.tick)}</p>
  ) : null;
}

export function Column({ place, children, ...props }: Props & { place: number; children?: ComponentChildren }) {
  const { shared, moment, story } = props;
  const { sides } = shared.cast;
  const rows = rowsOf(shared, moment, story),
    two = sides.length === 2;
  const half = Math.ceil(rows.length / 2);
  const own = two
    ? rows.filter(
        (row) => row.team === sides[place] || (place === 0 && !sides.includes(row.team as number) && row.team !== null),
      )
    : rows.length <= 2 * MOST_CARDS
      ? rows.slice(place * half, place * half + half)
      : place
        ? []
        : rows;
  const few = own.length <= FEW_CARDS;
  if (!own.length && !children) return null;
  return (
    <div class={`column ${place ? "second" : ""} ${own.length > MOST_CARDS ? "many" : few ? "few" : ""}`}>
      {!place && <AsAt shared={shared} moment={moment} />}
      <div class="cards">
        {own.map((row) => (
          <Card key={`${row.player}-${row.name}`} row={row} place={place} few={few} {...props} />
        ))}
      </div>
      {children}
    </div>
  );
}
