// The page: a list of recordings, or one of them with map, timeline and panels.
import { render } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { openSource, type Clock, type Entry, type Events, type Ground, type Heat, type Moment, type Path, type Source, type Summary } from "./data";
import { Cast } from "./cast";
import { MapView, SHOWN } from "./map";
import { Motion, type ThingInfo } from "./motion";
import { CurvesPanel, EventsPanel, InspectPanel, PlayersPanel, ProblemsPanel, useLoaded, type Shared } from "./panels";
import { Playback, SPEEDS } from "./playback";
import { begun, drawn, watchInput } from "./settled";
import { TablesPanel } from "./tables";
import { shownTime, timeText } from "./time";
import { Timeline, type Mark } from "./timeline";
import { Words } from "./words";

type Tab = "players" | "events" | "inspect" | "curves" | "tables" | "problems";

/** Seconds for which what happened last is told on the map, and how much of one moment. */
const CAPTION_SECONDS = 2, MOST_CAPTIONS = 3;

/** What keys do: the one list that the sheet of `?` is made of, too. */
const KEYS: [string, string][] = [
  ["Space, K", "play or stop"], ["← →", "5 seconds back or on; with Shift 30"], [", .", "one tick back or on"],
  ["↑ ↓", "faster, slower"], ["N P, Ctrl ← →", "next, previous event"], ["0 … 9", "to a tenth of the recording"],
  ["Home End", "to the beginning, the end"], ["M", "bookmark here, or take it away"], ["[ ]", "previous, next bookmark"],
  ["X G E H O V", "next kill, fight, expansion, finish, objective, round, where there are such; with Shift the one before"],
  ["F", "follow what is chosen"], ["+ −", "zoom"], ["R", "all of the map"], ["/", "search events"], ["T", "dark or light"],
  ["Esc", "choose nothing"], ["?", "this list"],
];

/** What the map shows can be left out: where it has it. */
const SHOWABLE = ["names", "trails", "health", "units"] as const;

function hash(): URLSearchParams { return new URLSearchParams(location.hash.slice(1)); }

function Files({ files }: { files: Entry[] }) {
  const [search, setSearch] = useState("");
  const shown = files.filter((file) => `${file.folder}/${file.name}`.toLowerCase().includes(search.toLowerCase()));
  return (
    <main class="files">
      <h1>playhead</h1>
      <input type="search" placeholder="find a recording" aria-label="find a recording" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
      <ul>{shown.slice(0, 500).map((file) => (
        <li key={file.id}><a href={`#m=${file.id}`}><b dir="auto">{file.name}</b>
          <span class="dim">{file.folder} · {file.size === null ? "" : `${(file.size / 1e6).toFixed(file.size < 1e5 ? 3 : 1)} MB`}</span></a></li>
      ))}</ul>
    </main>
  );
}

function Viewer({ source, match, several }: { source: Source; match: number; several: boolean }) {
  const { found: summary, error } = useLoaded<Summary>(() => source.get<Summary>(match, "summary"), [match]);
  if (error) return <main class="files"><p class="error" role="alert">{error}</p>{several && <a href="#all">all recordings</a>}</main>;
  if (!summary) return <main class="files"><p role="status">opening…</p></main>;
  return <Theatre source={source} match={match} summary={summary} several={several} />;
}

function Theatre({ source, match, summary, several }: { source: Source; match: number; summary: Summary; several: boolean }) {
  const start = useMemo(hash, []);
  const cast = useMemo(() => new Cast(summary), [summary]);
  const playback = useMemo(() => {
    const made = new Playback(Math.max(1, summary.last_tick), summary.rate);
    const asked = Number(start.get("t"));
    made.tick = Math.max(0, Math.min(made.last, Number.isFinite(asked) ? asked : 0));
    return made;
  }, [summary]);
  const motion = useMemo(() => new Motion(source, match, summary), [summary]);
  const words = useMemo(() => new Words(summary.presentation), [summary]);
  const jumpKeys = summary.presentation.feed.jumps;
  const [clock, setClock] = useState<Clock | null>(null);
  const [events, setEvents] = useState<Events | null>(null);
  const [loading, setLoading] = useState(true);
  const [kinds, setKinds] = useState<string[]>(() => start.get("kinds")?.split(",").filter((kind) => kind in summary.kinds) ?? summary.notable);
  const [search, setSearch] = useState("");
  const tabs: Tab[] = [...(summary.players.length || summary.has_map ? ["players" as const] : []), "events", ...(summary.has_map ? ["inspect" as const] : []), ...(summary.curves.length ? ["curves" as const] : []), "tables", "problems"];
  const [tab, setTab] = useState<Tab>(() => tabs.find((each) => each === start.get("tab")) ?? tabs[0]);
  const [moment, setMoment] = useState<Moment | null>(null);
  const [selected, setSelected] = useState<ThingInfo | null>(null);
  const [follow, setFollow] = useState(false);
  const [hidden, setHidden] = useState<Set<number>>(new Set());
  const [bookmarks, setBookmarks] = useState<number[]>(() => (start.get("b") ?? "").split(",").filter(Boolean).map(Number).filter(Number.isFinite));
  const [help, setHelp] = useState(false);
  const [hint, setHint] = useState(true);
  const [dark, setDark] = useState(() => document.documentElement.dataset.theme !== "light");
  const [ready, setReady] = useState(false);
  const [shown, setShown] = useState(SHOWN);
  const [jumps, setJumps] = useState<Record<string, number[]>>({});
  const [ground, setGround] = useState<Ground | null>(null);
  const [curve, setCurve] = useState(summary.curves[0]?.name ?? "");
  const [table, setTable] = useState(() => summary.tables.find((each) => each.name === start.get("table"))?.name ?? (summary.tables.some((each) => each.name === "events") ? "events" : summary.tables[0]?.name ?? ""));
  const [tip, setTip] = useState<{ mark: Mark; x: number } | null>(null);
  const [heatState, setHeatState] = useState<string | null>(null);
  const [, render] = useState(0);
  const canvas = useRef<HTMLCanvasElement>(null), line = useRef<HTMLCanvasElement>(null);
  const map = useRef<MapView | null>(null), timeline = useRef<Timeline | null>(null);
  const time = useMemo(() => (tick: number) => shownTime(tick, summary, clock), [summary, clock]);
  const shared: Shared = { source, match, summary, cast, words, playback, time, clock, dark };

  // Everything that needs a pass over the recording comes after what is seen first.
  const [waiting, setWaiting] = useState(true);
  useEffect(() => { if (ready) setWaiting(false); }, [ready]);
  useEffect(() => {
    if (waiting) return;
    source.get<Ground>(match, "ground").then((found) => { setGround(found); map.current?.setGround(found); }, () => {});
    source.get<Record<string, number[]>>(match, "jumps").then(setJumps, () => {});
    source.get<Clock>(match, "clock").then(setClock, () => {});
  }, [summary, waiting]);
  useEffect(() => { document.title = `${cast.headline() || summary.name} · playhead`; }, [summary]);
  useEffect(() => {
    if (waiting) return;
    let wanted = true;
    setLoading(true);
    source.get<Events>(match, "events", { kinds: kinds.join(",") }).then((found) => { if (wanted) { setEvents(found); setLoading(false); } }, () => { if (wanted) setLoading(false); });
    return () => { wanted = false; };
  }, [kinds.join(), waiting]);

  const marks = useMemo<Mark[]>(() => {
    const columns = events?.columns;
    if (!columns) return [];
    return columns.tick.map((tick, row) => ({ tick, kind: columns.kind[row], player: columns.player[row], team: columns.team[row], text: columns.text[row] }));
  }, [events]);

  useEffect(() => {
    if (!line.current) return;
    const view = timeline.current = new Timeline(line.current, summary, cast, words, playback);
    view.onHover = (mark, x) => setTip(mark ? { mark, x } : null);
    if (canvas.current) {
      const made = map.current = new MapView(canvas.current, summary, cast, words, motion);
      made.theme();
      const camera = start.get("cam")?.split(",").map(Number);
      if (camera?.length === 3 && camera.every(Number.isFinite)) made.setCamera({ x: camera[0], y: camera[1], zoom: camera[2] });
      made.selected = start.get("sel");
      made.onSelect = (track) => { setSelected(track?.info ?? null); if (!track) setFollow(false); };
      let told = "";
      motion.onLoad = () => {
        made.moveAgain();
        const track = made.selectedTrack;
        if (track) setSelected(track.info);
        if (told !== (told = `${motion.error}|${motion.tellsSight}`)) render((count) => count + 1);
      };
    }
    let running = true, before = false, missing = 0;
    const frame = (now: number): void => {
      if (!running) return;
      const there = map.current ? map.current.draw(playback.tick, playback.playing ? Math.min(4, Math.ceil(playback.speed / 4)) : 1) : true;
      // That something is missing is said only if it takes long: saying so costs more than a jump.
      if (there) missing = 0; else missing ||= now;
      if (there !== before && (there || now - missing > 200)) { before = there; setReady(there); }
      playback.advance(now, !there);
      view.draw();
      drawn(there ? Math.floor(playback.tick) : null);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    return () => { running = false; };
  }, [summary]);

  useEffect(() => { timeline.current?.set(marks, bookmarks); if (timeline.current) { timeline.current.label = (tick) => time(tick).replace(" paused", ""); timeline.current.clock = clock; } }, [marks, bookmarks, time]);
  useEffect(() => { if (map.current) { Object.assign(map.current.shown, shown); map.current.hidden = hidden; map.current.again(); } }, [shown, hidden]);
  useEffect(() => { if (map.current) { map.current.follow = follow; map.current.again(); } }, [follow]);
  useEffect(() => {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    map.current?.theme(); timeline.current?.again();
  }, [dark]);

  // The panels follow at most four times a second, and so does the address.
  useEffect(() => {
    let timer = 0, asked = -1, busy = false, planned = (): void => {};
    const refresh = async (): Promise<void> => {
      timer = 0;
      planned();
      render((count) => count + 1);
      address();
      const tick = Math.floor(playback.tick);
      if (tick !== asked && !busy && summary.has_map) {
        busy = true; asked = tick;
        try { setMoment(await source.get<Moment>(match, "moment", { tick })); } catch { /* the server says no: the last stays */ }
        busy = false;
        if (Math.floor(playback.tick) !== asked) plan();
      }
    };
    const plan = (): void => { if (!timer) { planned = begun(); timer = window.setTimeout(refresh, 250); } };
    const stop = playback.listen(plan);
    refresh();
    return () => { stop(); window.clearTimeout(timer); planned(); };
  }, [summary]);
  const address = (): void => {
    const query = new URLSearchParams();
    const camera = map.current?.camera;
    if (several) query.set("m", String(match));
    query.set("t", String(Math.floor(playback.tick)));
    if (tabNow.current !== tabs[0]) query.set("tab", tabNow.current);
    if (map.current?.selected) query.set("sel", map.current.selected);
    if (camera && moved.current) query.set("cam", [camera.x.toFixed(1), camera.y.toFixed(1), camera.zoom.toPrecision(4)].join());
    if (marksNow.current.length) query.set("b", marksNow.current.join());
    if (kindsNow.current.join() !== summary.notable.join()) query.set("kinds", kindsNow.current.join());
    history.replaceState(null, "", `#${query}`);
  };
  const tabNow = useRef(tab), marksNow = useRef(bookmarks), kindsNow = useRef(kinds), moved = useRef(start.has("cam"));
  tabNow.current = tab; marksNow.current = bookmarks; kindsNow.current = kinds;
  useEffect(() => { if (map.current) map.current.onCamera = () => { moved.current = true; setFollow(map.current?.follow ?? false); address(); }; address(); }, [tab, bookmarks, kinds, selected]);

  const jumpIn = (ticks: number[], sign: number): void => {
    const tick = Math.floor(playback.tick);
    const found = sign > 0 ? ticks.find((each) => each > tick) : ticks.findLast((each) => each < tick);
    if (found !== undefined) playback.seek(found);
  };
  const jump = (sign: number): void => jumpIn(marks.map((mark) => mark.tick), sign);
  const bookmark = (): void => {
    const tick = Math.floor(playback.tick);
    setBookmarks((old) => (old.includes(tick) ? old.filter((each) => each !== tick) : [...old, tick].sort((a, b) => a - b)));
  };
  useEffect(() => {
    const heard = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      if (target.closest("input, textarea, select") && !(target instanceof HTMLInputElement && target.type === "checkbox")) { if (event.key === "Escape") target.blur(); return; }
      if (event.altKey || event.metaKey || (event.ctrlKey && !event.key.startsWith("Arrow"))) return;
      const onButton = target.closest("button, a") && (event.key === " " || event.key === "Enter");
      const inList = target.closest(".list, .grid") && /Arrow(Up|Down)|Home|End/.test(event.key);
      if (onButton || inList || (target.role === "tab" && /Arrow|Home|End/.test(event.key))) return;
      const sign = event.key === "ArrowLeft" ? -1 : 1;
      switch (event.key) {
        case " ": case "k": case "K": playback.toggle(); break;
        case "ArrowLeft": case "ArrowRight": if (event.ctrlKey) jump(sign); else playback.move(sign * (event.shiftKey ? 30 : 5)); break;
        case "ArrowUp": playback.faster(1); break;
        case "ArrowDown": playback.faster(-1); break;
        case ",": playback.seek(Math.ceil(playback.tick) - 1); break;
        case ".": playback.seek(Math.floor(playback.tick) + 1); break;
        case "n": case "N": jump(1); break;
        case "p": case "P": jump(-1); break;
        case "Home": playback.seek(0); break;
        case "End": playback.seek(playback.last); break;
        case "m": case "M": bookmark(); break;
        case "[": { const found = [...marksNow.current].reverse().find((each) => each < Math.floor(playback.tick)); if (found !== undefined) playback.seek(found); break; }
        case "]": { const found = marksNow.current.find((each) => each > playback.tick); if (found !== undefined) playback.seek(found); break; }
        case "f": case "F": setFollow((old) => !old && map.current?.selected != null); break;
        case "+": case "=": map.current?.zoomBy(1.3); break;
        case "-": map.current?.zoomBy(1 / 1.3); break;
        case "r": case "R": map.current?.fit(); break;
        case "t": case "T": setDark((old) => !old); break;
        case "/": setTab("events"); setTimeout(() => document.getElementById("search")?.focus()); break;
        case "?": setHelp((old) => !old); break;
        case "Escape": setHelp(false); map.current?.select(null); break;
        default: {
          const found = jumpKeys.find((each) => each.key === event.key.toLowerCase())?.name;
          if (found) { jumpIn(jumps[found] ?? [], event.shiftKey ? -1 : 1); break; }
          if (/^[0-9]$/.test(event.key)) { playback.seek((playback.last * Number(event.key)) / 10); break; }
          return;
        }
      }
      event.preventDefault();
    };
    window.addEventListener("keydown", heard);
    return () => window.removeEventListener("keydown", heard);
  }, [marks, jumps]);

  // Heat and path are of whoever is chosen; heat of all where nobody is.
  const owner = selected?.player ?? null;
  useEffect(() => {
    let wanted = true;
    const view = map.current;
    const load = async (): Promise<void> => {
      if (shown.heat) {
        const heat = await source.get<Heat>(match, "heat", owner === null ? {} : { player: owner });
        if (wanted && view) view.heat = heat;
      }
      if (shown.path && owner !== null) {
        const path = await source.get<Path>(match, "path", { player: owner });
        if (wanted && view) view.path = path;
      }
    };
    if (!source.live || !view || !(shown.heat || (shown.path && owner !== null))) return;
    setHeatState("reading positions…");
    load().then(() => { if (wanted) { setHeatState(null); view.again(); } }, (error) => wanted && setHeatState(error.message));
    return () => { wanted = false; };
  }, [shown.heat, shown.path, owner]);
  const chooseTab = (event: KeyboardEvent): void => {
    const place = tabs.indexOf(tab) + (event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0);
    const next = tabs[(place + tabs.length) % tabs.length];
    if (next !== tab) { setTab(next); document.getElementById(`tab-${next}`)?.focus(); event.preventDefault(); }
  };
  const tick = Math.floor(playback.tick);
  const label = selected ? [cast.name(selected.player), words.name(selected.kind)].filter(Boolean).join(" · ") : "";
  const positions = summary.tables.some((each) => each.name === "positions");
  const sides = [...new Map(summary.players.filter((each) => each.team !== null && summary.sight_teams.includes(each.team)).map((each) => [each.team as number, each.side ?? `team ${each.team}`]))];
  const unmapped = !summary.has_map;
  // What happened just now: who jumps to a finish or a kill sees whose it is.
  const last = marks.findLast((mark) => mark.tick <= tick);
  const captions = last && tick - last.tick <= CAPTION_SECONDS * summary.rate ? marks.filter((mark) => mark.tick === last.tick).slice(0, MOST_CAPTIONS) : [];
  const headline = cast.headline(), day = (summary.started ?? summary.ended)?.slice(0, 10);
  return (
    <div class={`theatre ${tab === "tables" ? "wide" : ""} ${unmapped ? "unmapped" : ""}`}>
      <header class="top">
        {several && <a href="#all" aria-label="all recordings">☰</a>}
        <h1 dir="auto" title={summary.name}>{headline || summary.name}</h1>
        <span class="dim">{summary.winner && <b>winner: <bdi>{cast.winner}</bdi> · </b>}{summary.title}{summary.map && <> · on <bdi>{summary.map}</bdi></>}{summary.rate_known && ` · ${timeText(summary.last_tick / summary.rate)} long`}{day && ` · ${day}`}{headline && <span class="file"> · <bdi>{summary.name}</bdi></span>}</span>
        {!summary.complete && <span class="badge" title="the recording has no regular end">cut short</span>}
        {!source.live && <span class="badge" title="one file with the match in it; it needs no network">report</span>}
        <span class="push" />
        <button onClick={() => { address(); navigator.clipboard?.writeText(location.href).catch(() => {}); }} title="copy a link to this moment">link</button>
        <button onClick={() => setDark(!dark)} title="T">{dark ? "light" : "dark"}</button>
        <button onClick={() => setHelp(!help)} aria-expanded={help} title="?">keys</button>
      </header>
      <main class="stage">
        {!unmapped && (
          <div class="mapbox">
            <canvas ref={canvas} class="map" role="img" tabIndex={0} aria-label={`map at ${time(tick)}; the panel of players says who is where`} />
            <div class="over"><div class="tools" role="group" aria-label="map">
              {SHOWABLE.filter((each) => summary.presentation.map.layers.includes(each)).map((each) => (
                <button key={each} aria-pressed={shown[each]} onClick={() => setShown({ ...shown, [each]: !shown[each] })}>{each}</button>
              ))}
              {ground?.picture && <button aria-pressed={shown.picture} onClick={() => setShown({ ...shown, picture: !shown.picture })}>picture</button>}
              {source.live && positions && <button aria-pressed={shown.heat} title="where everybody was, or who is chosen" onClick={() => setShown({ ...shown, heat: !shown.heat })}>heat</button>}
              {(positions || !source.live) && <button aria-pressed={shown.path} title="the way of who is chosen" onClick={() => setShown({ ...shown, path: !shown.path })}>path</button>}
              {motion.tellsSight && sides.length > 1 && (
                <select aria-label="whose view" value={shown.sight ?? ""} onChange={(event) => setShown({ ...shown, sight: event.currentTarget.value ? Number(event.currentTarget.value) : null })}>
                  <option value="">seen by anybody</option>
                  {sides.sort((one, two) => one[0] - two[0]).map(([team, side]) => <option key={team} value={team}>seen by {side}</option>)}
                </select>
              )}
              <button onClick={() => map.current?.zoomBy(1.3)} aria-label="zoom in">+</button>
              <button onClick={() => map.current?.zoomBy(1 / 1.3)} aria-label="zoom out">−</button>
              <button onClick={() => map.current?.fit()}>all</button>
            </div>
              {captions.length > 0 && <ul class="caption">{captions.map((mark, place) => <li key={place}><b>{words.kind(mark.kind)}</b> {[...new Set([cast.name(mark.player), mark.text])].filter(Boolean).join(" · ").slice(0, 140)}</li>)}</ul>}
            </div>
            <p class="legend">
              {cast.legend().map((each) => <span key={each.label}><i class={each.square ? "square" : ""} style={{ background: each.colour }} aria-hidden="true" /><bdi>{each.label}</bdi></span>)}
              {summary.presentation.map.legend.map(([shape, what]) => <span key={what}><i class={shape} aria-hidden="true" />{what}</span>)}
            </p>
            {(!ready || heatState || motion.error || ground?.picture_error) && <p class="busy" role="status">{motion.error ?? heatState ?? (ready ? ground?.picture_error : "loading…")}</p>}
          </div>
        )}
        {!source.live && hint && (
          <p class="intro">A recorded match, in this one file. <b>▶</b> plays it; a click on the line of time goes anywhere, one on a player follows him. <button onClick={() => setHint(false)}>got it</button></p>
        )}
        <div class="transport">
          <button onClick={() => jump(-1)} aria-label="previous event" title="P">⏮</button>
          <button class="play" onClick={() => { playback.toggle(); render((count) => count + 1); }} aria-label={playback.playing ? "stop" : "play"} title="Space">{playback.playing ? "❚❚" : "▶"}</button>
          <button onClick={() => jump(1)} aria-label="next event" title="N">⏭</button>
          {jumpKeys.filter(({ name }) => jumps[name]?.length).map(({ name, key }) => (
            <span key={name} class="jump" role="group" aria-label={name}>
              <button onClick={() => jumpIn(jumps[name], -1)} aria-label={`previous ${name}`} title={`Shift+${key.toUpperCase()}`}>‹</button>
              {name}
              <button onClick={() => jumpIn(jumps[name], 1)} aria-label={`next ${name}`} title={key.toUpperCase()}>›</button>
            </span>
          ))}
          <output class="now" aria-live="off"><b>{time(tick)}</b> <span class="dim">tick {tick}</span></output>
          <label class="speed">speed <select value={playback.speed} onChange={(event) => { playback.speed = Number(event.currentTarget.value); render((count) => count + 1); }}>{SPEEDS.map((speed) => <option key={speed} value={speed}>{speed}×</option>)}</select></label>
          <button onClick={bookmark} title="M" aria-pressed={bookmarks.includes(tick)}>bookmark</button>
        </div>
        <div class="line">
          <canvas ref={line} class="timeline" tabIndex={0} role="slider" aria-label="time" aria-valuemin={0} aria-valuemax={playback.last} aria-valuenow={tick} aria-valuetext={time(tick)} />
          {tip && <div class="tip" style={{ left: `${tip.x}px` }}><b>{time(tip.mark.tick)} {words.kind(tip.mark.kind)}</b> {[cast.name(tip.mark.player), tip.mark.text].filter(Boolean).join(" · ").slice(0, 140)}</div>}
        </div>
      </main>
      <aside class="side">
        <div class="tabs" role="tablist" aria-label="panels" onKeyDown={chooseTab}>
          {tabs.map((each) => <button key={each} id={`tab-${each}`} role="tab" aria-selected={tab === each} aria-controls="panel" tabIndex={tab === each ? 0 : -1} onClick={() => setTab(each)}>{each}</button>)}
        </div>
        <div class="panel" id="panel" role="tabpanel" aria-labelledby={`tab-${tab}`} tabIndex={0}>
          {tab === "players" && <PlayersPanel shared={shared} moment={moment} hidden={hidden} selected={owner}
            onHide={(player) => setHidden((old) => { const next = new Set(old); if (!next.delete(player)) next.add(player); return next; })}
            onSelect={(player) => { const track = map.current?.trackOf(player); if (track) { map.current?.select(track); setFollow(true); } }} />}
          {tab === "events" && <EventsPanel shared={shared} events={events} kinds={kinds} onKinds={setKinds} search={search} onSearch={setSearch} loading={loading} />}
          {tab === "inspect" && <InspectPanel shared={shared} id={selected?.id ?? null} tick={moment?.tick ?? tick} label={label} follow={follow} onFollow={() => setFollow(!follow)} />}
          {tab === "curves" && <CurvesPanel shared={shared} name={curve} onName={setCurve} />}
          {tab === "tables" && <TablesPanel shared={shared} name={table} onName={setTable} />}
          {tab === "problems" && <ProblemsPanel shared={shared} />}
        </div>
      </aside>
      {help && (
        <div class="sheet" role="dialog" aria-label="keys">
          <dl>{KEYS.map(([key, what]) => <div key={key}><dt>{key}</dt><dd>{what}</dd></div>)}</dl>
          <button onClick={() => setHelp(false)}>close</button>
        </div>
      )}
    </div>
  );
}

function Page({ source, files }: { source: Source; files: Entry[] }) {
  const [asked, setAsked] = useState(() => hash().get("m"));
  useEffect(() => {
    const heard = (): void => setAsked(hash().get("m"));
    window.addEventListener("hashchange", heard);
    return () => window.removeEventListener("hashchange", heard);
  }, []);
  const several = files.length > 1;
  if (several && (asked === null || !files.some((file) => String(file.id) === asked))) return <Files files={files} />;
  if (!files.length) return <main class="files"><p>No recordings.</p></main>;
  const match = several ? Number(asked) : files[0].id;
  return <Viewer key={match} source={source} match={match} several={several} />;
}

async function begin(): Promise<void> {
  watchInput();
  const place = document.getElementById("page") as HTMLElement;
  if (!document.documentElement.dataset.theme) document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
  try {
    const source = await openSource();
    render(<Page source={source} files={await source.files()} />, place);
  } catch (error) {
    place.textContent = `playhead could not open this: ${(error as Error).message}`;
  }
}
begin();
