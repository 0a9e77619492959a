// The kills of the last seconds, with weapons, over the map.
import { pictured, Sign } from "./icons";
import type { Cast } from "./cast";
import type { Kill, Mark, One } from "./data";
import type { Shared } from "./shared";
import { joined } from "./words";

type KillMark = Mark & { kill: Kill };
const isKill = (mark: Mark): mark is KillMark => Boolean(mark.kill);

/** Captions show the last events for this many seconds, and at most this many of one tick. */
const CAPTION_SECONDS = 2,
  MOST_CAPTIONS = 3;
const LONGEST = 140;
const SECONDS = 8,
  MOST = 6;

/** A line of the feed, and how many kills in a row it tells. */
interface Told {
  mark: KillMark;
  times: number;
}

/** The kills of the last seconds before a tick, the last one at the end; `marks` are in order. */
export function lastKills(marks: Mark[], tick: number, rate: number): Told[] {
  const found: Told[] = [];
  for (let place = marks.length - 1; place >= 0; place--) {
    const mark = marks[place];
    if (mark.tick > tick || !isKill(mark)) continue;
    if (mark.tick < tick - SECONDS * rate) break;
    if (found.length && mark.kill.join() === found[0].mark.kill.join()) found[0].times++;
    else if (found.length === MOST) break;
    else found.unshift({ mark, times: 1 });
  }
  return found;
}

/** A killer or victim by name. */
export function nameOf(cast: Cast, one: One): string {
  return typeof one === "string" ? one : cast.name(one);
}

/** A kill as words. */
export function killText(cast: Cast, [killer, victim, weapon]: Kill): string {
  return [
    killer === null ? "" : nameOf(cast, killer),
    weapon ? `[${weapon}]` : killer === null ? "" : "›",
    nameOf(cast, victim),
  ]
    .filter(Boolean)
    .join(" ");
}

function Name({ cast, one, owner, team }: { cast: Cast; one: One; owner: number | null; team: number | null }) {
  return (
    <b style={{ "--side": cast.colour(typeof one === "number" ? one : owner, team) }}>
      <bdi>{nameOf(cast, one)}</bdi>
    </b>
  );
}

function KillFeed({ shared, marks, tick }: { shared: Shared; marks: Mark[]; tick: number }) {
  const { cast, summary } = shared,
    shown = lastKills(marks, tick, summary.rate);
  if (!shown.length) return null;
  return (
    <ol class="killfeed" aria-label="last kills">
      {shown.map(({ mark, times }, place) => {
        const [killer, victim, weapon, owner, team, victims] = mark.kill;
        return (
          <li key={`${mark.tick}-${place}`}>
            {killer === null ? (
              <Name cast={cast} one={victim} owner={owner} team={victims} />
            ) : (
              <Name cast={cast} one={killer} owner={mark.player} team={team} />
            )}
            <span class="weapon">
              {weapon ? (
                // The picture of a weapon, and what is noted after its name.
                weapon.split(", ").map((each, place) => [place > 0 && ", ", pictured(shared, each)])
              ) : (
                <>
                  <Sign jump="kill" /> {killer === null ? "died" : "killed"}
                </>
              )}
            </span>
            {killer !== null && <Name cast={cast} one={victim} owner={owner} team={victims} />}
            {times > 1 && <span class="weapon">×{times}</span>}
          </li>
        );
      })}
    </ol>
  );
}
/** Name and text of an event in a line. */

export function markText({ cast }: Shared, mark: Mark): string {
  if (mark.kill) return killText(cast, mark.kill);
  return joined([...new Set([cast.name(mark.player), mark.text])]).slice(0, LONGEST);
}

/** The last events before the playhead: after a jump to a kill they name the players. */
function Captions({ shared, marks, tick }: { shared: Shared; marks: Mark[]; tick: number }) {
  const last = marks.findLast((mark) => mark.tick <= tick && !mark.kill); // kills have their feed
  if (!last || tick - last.tick > CAPTION_SECONDS * shared.summary.rate) return null;
  const here = marks.filter((mark) => mark.tick === last.tick);
  if (here.some((mark) => mark.kill)) return null; // the feed tells more than the hits that killed
  const shown = here.slice(0, MOST_CAPTIONS);
  return (
    <ul class="caption">
      {shown.map((mark, place) => (
        <li key={place}>
          <b>{shared.words.kind(mark.kind)}</b> {markText(shared, mark)}
        </li>
      ))}
    </ul>
  );
}

/** What happened last: kills, and other events at the playhead. */
export function Feed(props: { shared: Shared; marks: Mark[]; tick: number }) {
  return (
    <div class="feed">
      <KillFeed {...props} />
      <Captions {...props} />
    </div>
  );
}
