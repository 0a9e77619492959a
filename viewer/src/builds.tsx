// What the players made or bought, side by side.
import type { Builds } from "./data";
import type { Shared } from "./shared";

/** Lines of a short list. */
const SHORT = 8;

/** Rows that players share: the nth thing of each. */
export function rowsOf(
  builds: Builds,
  chosen: number[],
): ({ tick: number; name: string; supply: number | null; more: string } | null)[][] {
  const columns = chosen.map((player) => builds.players.find((each) => each.player === player));
  const most = Math.max(0, ...columns.map((each) => each?.tick.length ?? 0));
  return Array.from({ length: most }, (_, row) =>
    columns.map((each) =>
      each && row < each.tick.length
        ? { tick: each.tick[row], name: each.name[row], supply: each.supply[row], more: each.more[row] }
        : null,
    ),
  );
}

export function BuildsPanel({
  shared,
  builds,
  chosen,
  onChosen,
}: {
  shared: Shared;
  builds: Builds;
  chosen: number[];
  onChosen: (players: number[]) => void;
}) {
  const { cast, playback, time, words } = shared;
  const tick = Math.floor(playback.tick);
  // Short lists, such as talents, are shown of all.
  const most = builds.players.every((each) => each.tick.length <= SHORT) ? Infinity : 2;
  const shown = chosen.length ? chosen : builds.players.slice(0, most).map((each) => each.player);
  const toggle = (player: number): void =>
    onChosen(shown.includes(player) ? shown.filter((each) => each !== player) : [...shown, player]);
  const held = builds.players.reduce((sum, each) => sum + each.tick.length, 0);
  return (
    <div class="builds">
      <div class="filters" role="group" aria-label="players">
        {builds.players.map(({ player }) => (
          <button key={player} aria-pressed={shown.includes(player)} onClick={() => toggle(player)}>
            <bdi>{cast.name(player)}</bdi>
          </button>
        ))}
      </div>
      {held < builds.total && (
        <p class="dim small">
          the first {held} of {builds.total}
        </p>
      )}
      <table>
        <thead>
          <tr>
            {shown.map((player) => (
              <th key={player} scope="col" style={{ "--side": cast.colour(player) }}>
                <bdi>{cast.name(player)}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rowsOf(builds, shown).map((row, place) => (
            <tr key={place}>
              {row.map((each, column) => (
                <td key={shown[column]} class={each && each.tick > tick ? "later" : ""}>
                  {each && (
                    <button class="link" onClick={() => playback.seek(each.tick)}>
                      {each.supply !== null && <span class="dim">{each.supply} </span>}
                      <time>{time(each.tick)}</time> {words.name(each.name)}
                      {each.more}
                    </button>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
