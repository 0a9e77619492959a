// What players are at for a while: bands below the timeline, and what of it is under way.
import type { Range } from "./address";
import type { Chapter, Tasks } from "./data";
import type { Shared } from "./shared";
import { joined } from "./words";

/** Rows of bands; more at the same time lie over each other in the last one. */
const ROWS = 2;
/** Pixels of a row. */
const ROW = 18;

export interface Task {
  tick: number;
  end: number;
  player: number;
  name: string;
  band: boolean;
}

export function tasksOf(tasks: Tasks | null): Task[] {
  if (!tasks) return [];
  const { end, player, name, band } = tasks;
  return tasks.tick.map((tick, at) => ({ tick, end: end[at], player: player[at], name: name[at], band: band[at] }));
}

/** What is under way at a tick, equal things together: name, number, and the first of them. */
export function underWay(tasks: Task[], tick: number): { name: string; count: number; first: Task }[] {
  const found = new Map<string, { name: string; count: number; first: Task }>();
  for (const task of tasks) {
    if (task.tick > tick || task.end <= tick) continue;
    const same = found.get(task.name);
    if (same) same.count++;
    else found.set(task.name, { name: task.name, count: 1, first: task });
  }
  return [...found.values()];
}

/** The row of each band: the first that is free. */
export function rowsOf(bands: Pick<Task, "tick" | "end">[]): number[] {
  const free: number[] = [];
  return bands.map(({ tick, end }) => {
    let row = free.findIndex((each) => each <= tick);
    if (row < 0) row = Math.min(free.length, ROWS - 1);
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

function Bands({ shared, part, bands, label }: { shared: Shared; part: Range | null; bands: Band[]; label: string }) {
  const { playback } = shared;
  const [low, high] = part ?? [playback.first, playback.last];
  const share = (at: number): number => (100 * (Math.max(low, Math.min(high, at)) - low)) / Math.max(1, high - low);
  const rows = Math.max(...bands.map((each) => each.row)) + 1;
  return (
    <div class="bands" role="group" aria-label={label} style={{ height: `${ROW * rows}px` }}>
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
                top: `${ROW * row}px`,
                left: `${left}%`,
                width: `calc(${width}% - 2px)`,
              }}
              class={second ? "second" : ""}
              title={title}
              onClick={() => playback.seek(to)}
            >
              {text}
              {side && <span class="sr">{side}</span>}
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

/** Runs and upgrades below the timeline: those of the followed player, or of all. */
export function TaskBands({ shared, tasks, selected, tick, part }: Props & { tasks: Task[]; selected: number | null }) {
  const { cast, time, words } = shared;
  const all = tasks.filter((each) => each.band),
    own = all.filter((each) => each.player === selected),
    shown = own.length ? own : all;
  if (!all.length) return null;
  const rows = rowsOf(shown);
  const bands = shown.map(({ tick: start, end, player, name }, at) => ({
    tick: start,
    end,
    row: rows[at],
    colour: cast.colour(player),
    text: words.name(name),
    title: `${time(start)} · ${cast.name(player)} · ${words.name(name)}`,
    to: start,
    second: cast.side(player, null) % 2 === 1,
    pressed: start <= tick && tick < end,
  }));
  return <Bands shared={shared} part={part} bands={bands} label="runs and upgrades" />;
}
