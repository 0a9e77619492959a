// The scoreboard: the players at the playhead in sides, in the order of a column.
import type { Moment, Story } from "./data";
import { Icon } from "./icons";
import { compared, orderOf } from "./order";
import type { Shared } from "./shared";

export type Row = Record<string, unknown>;
const MOST = 14;
/** Facts that are shown even if they are zero, in this order. */
export const FIRST = [
  ...["kills", "deaths", "assists", "level", "last_hits", "denies", "net_worth", "health"],
  ...["money", "equipment_value", "minerals", "vespene", "workers", "supply"],
];

/** Columns with numbers that differ from zero for somebody; those of a scoreboard first. */
export function columnsOf(rows: Row[], hides: (name: string) => boolean): string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const filled = names.filter((name) => !hides(name) && rows.some((row) => typeof row[name] === "number"));
  const rank = (name: string): number => {
    const place = FIRST.indexOf(name);
    return place < 0 ? FIRST.length : place;
  };
  const used = filled.filter(
    (name) => FIRST.includes(name) || rows.some((row) => row[name] !== 0 && row[name] !== null),
  );
  return used.sort((a, b) => rank(a) - rank(b)).slice(0, MOST);
}

/** Rows in the order of a column, the largest number first; `-` before the name turns the order. */
export function sortedBy(rows: Row[], order: string): Row[] {
  const { by, turned } = orderOf(order),
    sign = turned ? -1 : 1;
  return [...rows].sort((a, b) => compared(a[by], b[by], -sign, sign));
}

/** Kills and deaths of players up to a tick that count, up to a tick. */
export function scores(deaths: Story["deaths"], tick: number): Map<number, { kills: number; deaths: number }> {
  const found = new Map<number, { kills: number; deaths: number }>();
  const add = (player: number | null, what: "kills" | "deaths"): void => {
    if (player === null) return;
    const held = found.get(player) ?? { kills: 0, deaths: 0 };
    held[what]++;
    found.set(player, held);
  };
  for (const [at, victim, killer] of deaths) {
    if (at > tick) continue;
    add(killer, "kills");
    add(victim, "deaths");
  }
  return found;
}

/** Players with what the moment, their resources and the story tell of them. */
export function rowsOf({ summary, playback }: Shared, moment: Moment | null, { deaths }: Story): Row[] {
  const listed: Row[] = moment?.players.length ? moment.players : (summary.players as unknown as Row[]);
  const counted = deaths.length ? scores(deaths, Math.floor(playback.tick)) : null;
  return listed.map((row) => ({
    ...(counted && (counted.get(row.player as number) ?? { kills: 0, deaths: 0 })),
    ...row,
    ...moment?.resources[String(row.player)],
  }));
}

export function Board({
  shared,
  moment,
  order,
  onOrder,
  onSelect,
  selected,
  story,
}: {
  shared: Shared;
  moment: Moment | null;
  order: string;
  onOrder: (order: string) => void;
  onSelect: (player: number) => void;
  selected: number | null;
  story: Story;
}) {
  const { cast, words } = shared;
  const rows = rowsOf(shared, moment, story);
  const columns = columnsOf(rows, (name) => words.hidesFact(name) && name !== "health");
  const teams = cast.sided
    ? [...new Set(rows.map((row) => row.team as number | null))].sort((a, b) => cast.side(null, a) - cast.side(null, b))
    : [null];
  const { by, turned } = orderOf(order);
  const head = (name: string, label: string) => (
    <th key={name} scope="col" aria-sort={name === by ? (turned ? "ascending" : "descending") : "none"}>
      <button class="link" onClick={() => onOrder(name === by && !turned ? `-${name}` : name)}>
        {label}
        {name === by && <Icon name={turned ? "up" : "down"} />}
      </button>
    </th>
  );
  return (
    <div class="board">
      <table>
        <thead>
          <tr>
            {head("name", "player")}
            {columns.map((name) => head(name, words.factName(name)))}
          </tr>
        </thead>
        {teams.map((team) => (
          <tbody key={team}>
            {cast.sided && (
              <tr>
                <th colSpan={columns.length + 1} scope="rowgroup" style={{ "--side": cast.colour(null, team) }}>
                  {team === null ? "no side" : cast.teamName(team)}
                </th>
              </tr>
            )}
            {sortedBy(
              rows.filter((row) => !cast.sided || row.team === team),
              order,
            ).map((row) => (
              <tr
                key={`${row.player}-${row.name}`}
                class={`${row.alive === false ? "dead" : ""} ${selected !== null && selected === row.player ? "chosen" : ""}`}
              >
                <th
                  scope="row"
                  style={{ "--side": cast.colour(row.player as number | null, row.team as number | null, true) }}
                >
                  <button class="link" dir="auto" onClick={() => row.player !== null && onSelect(row.player as number)}>
                    {(row.name as string) || cast.name(row.player as number) || "unnamed"}
                  </button>
                </th>
                {columns.map((name) => (
                  <td key={name}>{words.factValue(name, row[name])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}
