// The panel of curves over time.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Range } from "./address";
import type { Curve } from "./data";
import { useLoaded } from "./hooks/loaded";
import { type Line, Plot, valueAt } from "./plot";
import type { Shared } from "./shared";
import { labelled, STEPS } from "./time";
import { colours } from "./root";
import { Reading, Wrong } from "./status";

/** The lines of one curve; if a player is chosen, theirs is drawn last and the others are faint. */
export function CurvesPanel({
  shared,
  name,
  onName,
  range,
  chosen,
}: {
  shared: Shared;
  name: string;
  onName: (name: string) => void;
  range: Range | null;
  chosen: number | null;
}) {
  const { source, match, summary, cast, playback, clock, time, dark } = shared;
  const canvas = useRef<HTMLCanvasElement>(null);
  const { found, error } = useLoaded<Curve>(() => source.get<Curve>(match, "curve", { name }), [source, match, name]);
  const [single, setSingle] = useState(false);
  const many = !!found?.sides.length && found.lines.length > 2;
  const lines = useMemo(() => {
    const all = found?.lines ?? [],
      one = all.some((line) => line.player === chosen);
    if (found && (all.length ? many && !single && !one : true))
      return found.sides.map((line): Line => ({ ...line, ...cast.party(line.player), dash: [], faint: false }));
    return all
      .map(
        (line): Line => ({
          ...line,
          ...cast.line(line.player),
          label: cast.name(line.player),
          faint: one && line.player !== chosen,
        }),
      )
      .sort((a, b) => Number(b.faint) - Number(a.faint));
  }, [found, cast, chosen, many, single, dark]);
  useEffect(() => {
    const board = canvas.current;
    if (!lines.length || !board) return;
    const part = range ?? ([playback.first, playback.last] as Range),
      of = colours();
    const times = (apart: number): [number, string][] => {
      const seconds = STEPS.find((each) => each * summary.rate >= apart) ?? STEPS[STEPS.length - 1];
      return labelled(part[0], part[1], seconds, summary, clock).map((tick) => [
        tick,
        time(tick).replace(" paused", ""),
      ]);
    };
    const plot = new Plot(board, lines, part, times, { ink: of("ink"), dim: of("dim"), grid: of("grid") });
    const draw = (): void => plot.draw(playback.tick);
    const seek = (event: MouseEvent): void => playback.seek(plot.tickAt(event.offsetX));
    draw();
    board.addEventListener("click", seek);
    const watch = new ResizeObserver(draw),
      stop = playback.listen(draw);
    watch.observe(board);
    return () => {
      watch.disconnect();
      stop();
      board.removeEventListener("click", seek);
    };
  }, [lines, dark, time, clock, summary, playback, range]);
  const first = summary.curves.filter((each) => each.first),
    rest = summary.curves.filter((each) => !each.first);
  return (
    <div class="curves">
      <div class="filters" role="group" aria-label="curves">
        {first.map((each) => (
          <button key={each.name} aria-pressed={each.name === name} onClick={() => onName(each.name)}>
            {each.label}
          </button>
        ))}
        {many && (
          <button aria-pressed={single} onClick={() => setSingle(!single)} title="a line for each player">
            single players
          </button>
        )}
        {rest.length > 0 && source.live && (
          <select aria-label="other curves" value={name} onChange={(event) => onName(event.currentTarget.value)}>
            <option value={first[0]?.name ?? ""}>more…</option>
            {rest.map((each) => (
              <option key={each.name} value={each.name}>
                {each.label.replace(/_/g, " ")}
              </option>
            ))}
          </select>
        )}
      </div>
      <Wrong text={error} />
      {!found && !error && <Reading />}
      {found && !found.lines.length && <p class="hint">The recording has no values for this curve.</p>}
      {lines.length > 0 && (
        <canvas ref={canvas} class="plot" role="img" aria-label={`curve: ${found?.label ?? name}`} />
      )}
      {lines.length > 0 && (
        <ul class="values" aria-label={`values at ${time(Math.floor(playback.tick))}`}>
          {lines.map((line, place) => (
            <li key={place} class={line.faint ? "dim" : ""} style={{ "--side": line.colour }}>
              <bdi>{line.label}</bdi> <b>{valueAt(line, playback.tick)?.toLocaleString("en") ?? "–"}</b>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
