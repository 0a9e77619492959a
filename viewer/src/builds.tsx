// What the players made or bought, side by side.
import type { Builds } from "./data";
import type { Shared } from "./shared";

/** Lines of a short list. */
const SHORT = 8;

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
      <div class="side-by-side">
        {shown.map((player) => {
          const own = builds.players.find((each) => each.player === player);
          return (
            <section key={player}>
              <h2 style={{ "--side": cast.colour(player) }}>
                <bdi>{cast.name(player)}</bdi>
              </h2>
              <ol>
                {own?.name.map((name, place) => (
                  <li key={place} class={own.tick[place] > tick ? "later" : ""}>
                    <button class="link" onClick={() => playback.seek(own.tick[place])}>
                      {own.supply[place] !== null && <span class="dim">{own.supply[place]} </span>}
                      <time>{time(own.tick[place]).replace(" paused", "")}</time> {words.name(name)}
                      {own.more[place]}
                    </button>
                  </li>
                ))}
              </ol>
            </section>
          );
        })}
      </div>
    </div>
  );
}
