// The top of the page: the sides with their scores, the game's clock, and what the match was.
import type { Moment, Story, Summary } from "./data";
import type { Shared } from "./shared";
import { Icon } from "./icons";
import { timeText } from "./time";
import { joined, rounded } from "./words";

interface Props {
  shared: Shared;
  several: boolean;
  story: Story;
  moment: Moment | null;
  tick: number;
  /** Whether results are hidden. */
  quiet: boolean;
  onProblems: () => void;
}

/** The game without its version. */
export const gameOf = ({ title }: Pick<Summary, "title">): string =>
  title.replace(/( 0[\d.]+,)?,? (build )?[\d.]+( \(.*\))?$/, "");

/** The score of a side at a tick; null if nothing is counted. */
export function scoreAt(scores: Story["scores"], team: number, tick: number): number | null {
  return scores.findLast((each) => each[1] === team && each[0] <= tick)?.[2] ?? (scores.length ? 0 : null);
}

/** The best time at a tick, and whose it is. */
export function bestAt({ best }: Story, tick: number): { time: string; names: string } | null {
  const found = best.findLast((each) => each[0] <= tick);
  return found ? { time: found[1], names: `best time, ${found[2]}` } : null;
}

/** The clan of a side at a moment: players may change sides. */
export function clanOf({ cast }: Shared, moment: Moment | null, team: number): string | null {
  const own = (moment?.players ?? []).filter((row) => row.team === team);
  return own.map((row) => cast.player(row.player as number)?.clan).find(Boolean) ?? null;
}

function Side({
  shared,
  story,
  moment,
  tick,
  team,
  place,
  quiet,
}: Omit<Props, "several" | "onProblems"> & { team: number; place: number }) {
  const { cast, summary, words } = shared;
  const { totals } = summary.presentation.stage;
  const own = (moment?.players ?? []).filter((row) => row.team === team);
  const sums = totals.map((name) => {
    const values = own.map((row) => row[name]).filter((value) => typeof value === "number");
    return values.some(Boolean) ? ([name, values.reduce((sum, value) => sum + value, 0)] as const) : null;
  });
  const score = scoreAt(story.scores, team, tick);
  const name = cast.teamName(team),
    clan = clanOf(shared, moment, team),
    results = own.map((row) => cast.player(row.player as number)?.result).filter(Boolean),
    won = results.length ? results.includes("win") : summary.winner !== null && [name, clan].includes(cast.winner);
  return (
    <div class={`team ${place ? "second" : ""}`} style={{ "--side": cast.colour(null, team) }}>
      <span class="who">
        <i class={place % 2 ? "sign square" : "sign"} aria-hidden="true" />
        <b>
          <bdi>{name}</bdi>
        </b>
        {won && !quiet && (
          <span class="won" title="winner">
            won
          </span>
        )}
      </span>
      <span class="dim small">
        {joined([clan, ...sums.map((each) => each && `${rounded(each[1])} ${words.factName(each[0])}`)])}
      </span>
      {score !== null && (
        <span class="score" data-team={team} title={summary.presentation.stage.score_label}>
          {score}
        </span>
      )}
    </div>
  );
}

export function Strip({ shared, several, story, moment, tick, quiet, onProblems }: Props) {
  const { summary, cast, source, time } = shared;
  const headline = cast.headline(),
    day = (summary.started ?? summary.ended)?.slice(0, 10);
  const sides = cast.sides.length === 2 ? cast.sides : [],
    best = bestAt(story, tick);
  const facts = [
    summary.winner ? !sides.length && !quiet && `winner: ${cast.winner}` : sides.length > 0 && "no result in the file",
    gameOf(summary),
    summary.map && `on ${summary.map}`,
    summary.rate_known && `${timeText((summary.last_tick - summary.first_tick) / summary.rate)} long`,
    day,
  ];
  const part = (place: number) => (
    <Side shared={shared} story={story} moment={moment} tick={tick} team={sides[place]} place={place} quiet={quiet} />
  );
  return (
    <header class="top">
      {several && (
        <a href="#all" aria-label="all recordings">
          <Icon name="list" />
        </a>
      )}
      {sides.length === 2 && part(0)}
      <div class="middle">
        <h1 class={sides.length === 2 ? "sr" : ""} dir="auto" title={summary.name}>
          {headline || gameOf(summary)}
        </h1>
        <output class="now" aria-live="off">
          <b title={`tick ${tick}`}>{time(tick)}</b>
        </output>
        {best && (
          <span class="best">
            <b>{best.time}</b> <span class="dim small">{best.names}</span>
          </span>
        )}
        <div class="row">
          <span class="facts dim" title={joined(facts)}>
            {facts.filter(Boolean).map((each, place) => (
              <span key={each}>
                {place > 0 && " · "}
                <bdi>{each}</bdi>
              </span>
            ))}
          </span>
          <span class="badges">
            {!summary.complete && (
              <span class="badge" title="the recording has no regular end">
                cut short
              </span>
            )}
            {story.problems > 0 && (
              <button class="badge" onClick={onProblems} title="not everything in the recording could be read">
                {story.problems === 1 ? "1 problem" : `${story.problems} problems`}
              </button>
            )}
            {!source.live && (
              <span class="badge" title="one file with the match in it; it needs no network">
                report
              </span>
            )}
          </span>
        </div>
      </div>
      {sides.length === 2 && part(1)}
    </header>
  );
}
