// The kills of the last seconds, with weapons, over the map.
import type { Cast } from "./cast";
import type { Shared } from "./shared";
import type { Mark } from "./timeline";

/** A line of the kill feed: killer and victim as numbers of players or names of units, the weapon, and the owner of the victim. */
export type Kill = [number | string | null, number | string | null, string | null, number | null];

const SECONDS = 8, MOST = 6;

/** The kills of the last seconds before a tick, the last one at the end; `marks` are in order. */
export function lastKills(marks: Mark[], tick: number, rate: number): Mark[] {
  const found: Mark[] = [];
  for (let place = marks.length - 1; place >= 0 && found.length < MOST; place--) {
    const mark = marks[place];
    if (mark.tick > tick || !mark.kill) continue;
    if (mark.tick < tick - SECONDS * rate) break;
    found.unshift(mark);
  }
  return found;
}

/** A killer or victim by name. */
export function nameOf(cast: Cast, one: number | string | null): string {
  return typeof one === "string" ? one : cast.name(one);
}

/** A kill as words. */
export function killText(cast: Cast, [killer, victim, weapon]: Kill): string {
  return [killer === null ? "" : nameOf(cast, killer), weapon ? `[${weapon}]` : killer === null ? "" : "›", nameOf(cast, victim)].filter(Boolean).join(" ");
}

function One({ cast, one, owner }: { cast: Cast; one: number | string | null; owner: number | null }) {
  return <b style={{ "--side": cast.colour(typeof one === "number" ? one : owner) }}><bdi>{nameOf(cast, one)}</bdi></b>;
}

export function KillFeed({ shared: { cast, summary }, marks, tick }: { shared: Shared; marks: Mark[]; tick: number }) {
  const shown = lastKills(marks, tick, summary.rate);
  if (!shown.length) return null;
  return (
    <ol class="killfeed" aria-label="last kills">{shown.map((mark, place) => {
      const [killer, victim, weapon, owner] = mark.kill as Kill;
      return (
        <li key={`${mark.tick}-${place}`}>
          {killer === null ? <One cast={cast} one={victim} owner={owner} /> : <One cast={cast} one={killer} owner={mark.player} />}
          <span class="weapon">{weapon ?? (killer === null ? "died" : "killed")}</span>
          {killer !== null && <One cast={cast} one={victim} owner={owner} />}
        </li>
      );
    })}</ol>
  );
}
