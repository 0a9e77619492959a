// What the user chose: everything that the address holds, except the playhead, the camera and what is selected.
import { useCallback, useState } from "preact/hooks";
import type { Place, Range } from "../address";
import type { Source, Summary } from "../data";
import { type Ink, inkOf, inkText } from "../ink";
import { LAYERS, SHOWN, type Shown, shownBy } from "../layers";
import type { Browsed } from "../tables";

export interface Choices {
  /** The open panel; empty for none. */
  tab: string;
  kinds: string[];
  bookmarks: number[];
  search: string;
  curve: string;
  browsed: Browsed;
  follow: boolean;
  /** Numbers of the players that the map hides. */
  hidden: Set<number>;
  shown: Shown;
  range: Range | null;
  span: Range | null;
  board: string | null;
  /** Which rounds are laid over each other; see `choiceOf`. */
  over: string;
  quiet: boolean;
  ink: Ink[];
}
export type Choose = (changed: Partial<Choices> | ((old: Choices) => Partial<Choices>)) => void;

/** The same members with one added or removed. */
export function toggled<T>(members: Iterable<T>, member: T): Set<T> {
  const found = new Set(members);
  if (!found.delete(member)) found.add(member);
  return found;
}

function firstTable(summary: Summary, wanted: string | null): string {
  const names = summary.tables.map((each) => each.name);
  return [wanted, "events", names[0]].find((name) => name && names.includes(name)) ?? "";
}

function firstChoices(start: Place, source: Source, summary: Summary, tabs: string[]): Choices {
  return {
    tab: tabs.find((each) => each === start.tab) ?? (summary.has_map ? "" : tabs[0]),
    kinds: start.kinds?.filter((kind) => kind in summary.kinds) ?? summary.notable,
    bookmarks: start.bookmarks,
    search: start.search,
    curve: (summary.curves.find((each) => each.name === start.curve) ?? summary.curves[0])?.name ?? "",
    browsed: {
      table: firstTable(summary, start.table),
      sort: start.sort,
      rows: start.rows,
      sql: source.live ? start.sql : null,
    },
    follow: start.follow && start.selected !== null,
    hidden: new Set(start.hidden),
    shown: shownBy(start.layers, start.sight),
    range: start.range,
    span: start.span,
    board: start.board,
    over: start.over,
    quiet: start.quiet,
    ink: inkOf(start.ink),
  };
}

/** Returns the choices, and a function that changes some of them. */
export function useChoices(start: Place, source: Source, summary: Summary, tabs: string[]): [Choices, Choose] {
  const [choices, setChoices] = useState(() => firstChoices(start, source, summary, tabs));
  const choose = useCallback<Choose>((changed) => {
    setChoices((old) => {
      const found = { ...old, ...(typeof changed === "function" ? changed(old) : changed) };
      return (Object.keys(old) as (keyof Choices)[]).every((name) => old[name] === found[name]) ? old : found; // else nothing is drawn
    });
  }, []);
  return [choices, choose];
}

/** Returns the choices as the address holds them: null for what is as at first. */
export function chosenPlace(
  choices: Choices,
  summary: Summary,
  tabs: string[],
): Omit<Place, "match" | "beside" | "tick" | "selected" | "camera" | "speed"> {
  const { tab, kinds, bookmarks, search, curve, browsed, follow, hidden, shown, range, span, board, over, quiet, ink } =
    choices;
  return {
    tab: tab === (summary.has_map ? "" : tabs[0]) ? null : tab,
    bookmarks,
    kinds: kinds.join() === summary.notable.join() ? null : kinds,
    table: tab === "tables" ? browsed.table : null,
    sort: browsed.sort,
    rows: browsed.rows,
    sql: browsed.sql,
    search,
    range,
    span,
    board,
    over,
    quiet,
    ink: inkText(ink),
    follow,
    layers: LAYERS.filter((name) => shown[name] !== SHOWN[name]),
    sight: shown.sight,
    hidden: [...hidden],
    curve: curve === summary.curves[0]?.name ? null : curve,
  };
}
