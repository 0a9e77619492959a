// What players are at for a while: bands below the timeline, and what of it is under way.
import type { Range } from "./address";
import type { Chapter, Tasks } from "./data";
import type { Shared } from "./shared";
import { joined } from "./words";

/** Rows of bands; more at the same time lie over each other. */
const ROWS = 2,
  THIN_ROWS = 10;
/** Pixels of a row, and of one without words. */
const ROW = 18,
  THIN = 5;
/** Bands that are many at the same time, and have no words. */
const BASES = "bases";

export interface Task {
  tick: number;
  end: number;
  player: number;
  name: string;
  /** The bands that it is of; empty if it is none. */
  bands: string;
}

export function tasksOf(tasks: Tasks | null): Task[] {
  if (!tasks) return [];
  const { end, player, name, bands } = tasks;
  return tasks.tick.map((tick, at) => ({ tick, end: end[at], player: player[at], name: name[at], bands: bands[at] }));
}

/** What is made or run at a tick, equal things together: name, number, and the first of them. */
export function underWay(tasks: Task[], tick: number): { name: string; count: number; first: Task }[] {
  const found = new Map<string, { name: string; count: number; first: Task }>();
  for (const task of tasks) {
    if (task.tick > tick || task.end <= tick || task.bands === BASES) continue;
    const same = found.get(task.name);
    if (same) same.count++;
    else found.set(task.name, { name: task.name, count: 1, first: task });
  }
  return [...found.values()];
}

/** The row of each band: the first that is free, or else is free soonest. */
export function rowsOf(bands: Pick<Task, "tick" | "end">[], most = ROWS): number[] {
  const free: number[] = [];
  return bands.map(({ tick, end }) => {
    let row = free.findIndex((each) => each <= tick);
    if (row < 0) row = free.length < most ? free.length : free.indexOf(Math.min(...free));
    free[row] = Math.max(free[row] ?? 0, end);
    return row;
  });
}

/** A band below the timeline. */
interface Band {
  tick: number;
  end: number;
  row: number;
  colour: string;
  text: string;
  title: string;
  /** Where a click goes. */
  to: number;
  /** Whether it is the second side's, which has another line, and the side in words. */
  second?: boolean;
  side?: string;
  pressed?: boolean;
}

function Bands({
  shared,
  part,
  bands,
  label,
  thin,
}: {
  shared: Shared;
  part: Range | null;
  bands: Band[];
  label: string;
  thin?: boolean;
}) {
  const { playback } = shared;
  const [low, high] = part ?? [playback.first, playback.last];
  const share = (at: number): number => (100 * (Math.max(low, Math.min(high, at)) - low)) / Math.max(1, high - low);
  const rows = Math.max(...bands.map((each) => each.row)) + 1,
    tall = thin ? THIN : ROW;
  return (
    <div class="bands" role="group" aria-label={label} style={{ height: `${tall * rows}px` }}>
      {bands.map(({ tick, end, row, colour, text, title, to, second, side, pressed }, at) => {
        const left = share(tick),
          width = share(end) - left;
        return (
          width > 0 && (
            <button
              key={at}
              aria-pressed={pressed}
              style={{
                "--side": colour,
                top: `${tall * row}px`,
                height: `${tall - 1}px`,
                left: `${left}%`,
                width: `calc(${width}% - 2px)`,
              }}
              class={second ? "second" : ""}
              title={title}
              onClick={() => playback.seek(to)}
              onContextMenu={(event) => {
                event.preventDefault();
                shared.share([tick, end]);
              }}
            >
              {!thin && text}
              <span class="sr">{thin ? text : side}</span>
            </button>
          )
        );
      })}
    </div>
  );
}

interface Props {
  shared: Shared;
  tick: number;
  part: Range | null;
}

/** Rounds below the lead, in the colours of the sides that won them. */
export function Chapters({ shared, chapters, tick, part }: Props & { chapters: Chapter[] }) {
  const { cast, playback, time } = shared;
  const now = chapters.findLastIndex((each) => each.tick <= tick);
  const bands = chapters.map(({ tick: start, opens, name, team, note }, place) => ({
    tick: start,
    end: chapters[place + 1]?.tick ?? playback.last,
    row: 0,
    colour: team === null ? "var(--rule)" : cast.colour(null, team),
    text: name,
    title: joined([time(start), team === null ? "" : cast.teamName(team), note]),
    to: opens ?? start,
    second: cast.side(null, team) % 2 === 1,
    side: team === null ? "" : `, won by ${cast.teamName(team)}`,
    pressed: place === now,
  }));
  return <Bands shared={shared} part={part} bands={bands} label="rounds" />;
}

/** What players are at, below the timeline, one group for each kind of bands: of the followed player, or of all. */
export function TaskBands({ shared, tasks, selected, tick, part }: Props & { tasks: Task[]; selected: number | null }) {
  const { cast, time, words } = shared;
  const labels = [...new Set(tasks.map((each) => each.bands))].filter(Boolean).sort().reverse();
  return (
    <>
      {labels.map((label) => {
        const all = tasks.filter((each) => each.bands === label),
          own = all.filter((each) => each.player === selected),
          shown = own.length ? own : all,
          // Words have no room where more are at the same time than rows.
          thin = label === BASES || Math.max(...rowsOf(shown, THIN_ROWS)) >= ROWS;
        if (label === BASES) shown.sort((one, other) => cast.side(one.player, null) - cast.side(other.player, null));
        const rows = rowsOf(shown, thin ? THIN_ROWS : ROWS);
        const bands = shown.map(({ tick: start, end, player, name }, at) => ({
          tick: start,
          end,
          row: rows[at],
          colour: cast.colour(player),
          text: words.name(name),
          title: joined([`${time(start)} – ${time(end)}`, cast.name(player), words.name(name)]),
          to: start,
          second: cast.side(player, null) % 2 === 1,
          pressed: !thin && start <= tick && tick < end,
        }));
        return <Bands key={label} shared={shared} part={part} bands={bands} label={label} thin={thin} />;
      })}
    </>
  );
}
