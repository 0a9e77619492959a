// The panel of curves over time.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { Range } from "./address";
import type { Curve } from "./data";
import { useLoaded } from "./hooks/loaded";
import type { Shared } from "./shared";
import { labelled, STEPS } from "./time";

export function CurvesPanel({ shared, name, onName, range }: { shared: Shared; name: string; onName: (name: string) => void; range: Range | null }) {
  const { source, match, summary, cast, playback, clock, time, dark } = shared;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const follow = useRef(() => {});
  const { found, error } = useLoaded<Curve>(() => source.get<Curve>(match, "curve", { name }), [source, match, name]);
  useEffect(() => {
    const holder = box.current;
    if (!found || !holder) return;
    const ticks = [...new Set(found.lines.flatMap((line) => line.tick))].sort((a, b) => a - b);
    const values = found.lines.map((line) => {
      const by = new Map(line.tick.map((tick, place) => [tick, line.value[place]]));
      return ticks.map((tick) => by.get(tick) ?? null);
    });
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--dim").trim(), grid = style.getPropertyValue("--grid").trim();
    const head = (chart: uPlot): void => {
      const x = Math.round(chart.valToPos(playback.tick, "x", true));
      chart.ctx.fillStyle = style.getPropertyValue("--ink").trim();
      if (x >= chart.bbox.left && x <= chart.bbox.left + chart.bbox.width) chart.ctx.fillRect(x - 1, chart.bbox.top, 2, chart.bbox.height);
    };
    const made = new uPlot({
      width: Math.max(240, holder.clientWidth), height: 260,
      scales: { x: { time: false, range: range ?? [playback.first, playback.last] } },
      axes: [
        { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid }, incrs: STEPS.map((each) => each * summary.rate), splits: (_, __, ___, high, apart) => labelled(range?.[0] ?? playback.first, high, apart / summary.rate, summary, clock), values: (_, splits) => splits.map((tick) => time(tick).replace(" paused", "")) },
        { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid }, size: (_, labels) => 18 + 7.2 * Math.max(4, ...(labels ?? []).map((each) => each.length)) },
      ],
      series: [
        { label: "time", value: (_, tick) => (tick == null ? "" : time(tick)) },
        ...found.lines.map((line) => {
          const { colour, dash } = cast.line(line.player);
          return { label: cast.name(line.player), stroke: colour, dash, width: 2, spanGaps: true, points: { show: ticks.length < 3 } };
        }),
      ],
      hooks: { draw: [head] },
    }, [ticks, ...values], holder);
    plot.current = made;
    follow.current = () => {
      let low = 0;
      while (low + 1 < ticks.length && ticks[low + 1] <= playback.tick) low++;
      made.setLegend({ idx: low }, false);
      made.redraw(false, false);
    };
    follow.current();
    requestAnimationFrame(() => { if (plot.current === made) follow.current(); });  // its first drawing resets the legend
    const seek = (event: MouseEvent): void => playback.seek(made.posToVal(event.offsetX, "x"));
    made.over.addEventListener("click", seek);
    const watch = new ResizeObserver(() => made.setSize({ width: Math.max(240, holder.clientWidth), height: 260 }));
    watch.observe(holder);
    return () => { watch.disconnect(); made.destroy(); plot.current = null; };
    }, [found, dark, time, clock, summary, cast, playback, range]);
  useEffect(() => playback.listen(() => { if (plot.current) follow.current(); }), [playback]);
  const first = summary.curves.filter((each) => each.first), rest = summary.curves.filter((each) => !each.first);
  return (
    <div class="curves">
      <div class="filters" role="group" aria-label="curves">
        {first.map((each) => <button type="button" key={each.name} aria-pressed={each.name === name} onClick={() => onName(each.name)}>{each.label}</button>)}
        {rest.length > 0 && source.live && (
          <select aria-label="other curves" value={name} onChange={(event) => onName(event.currentTarget.value)}>
            <option value={first[0]?.name ?? ""}>more…</option>
            {rest.map((each) => <option key={each.name} value={each.name}>{each.label.replace(/_/g, " ")}</option>)}
          </select>
        )}
      </div>
      {error && <p class="error" role="alert">{error}</p>}
      {!found && !error && <p class="dim" role="status">reading the recording…</p>}
      {found && !found.lines.length && <p class="hint">The recording has no values for this curve.</p>}
      <div ref={box} role="img" aria-label={`curve: ${found?.label ?? name}`} />
    </div>
  );
}
