// One recording: map, timeline and panels. The state that several parts share is here; hooks do the work.
import { useEffect, useMemo, useState } from "preact/hooks";
import { type Range, rangeAt, startingPlace } from "./address";
import { BuildsPanel } from "./builds";
import { canRecord, record, save } from "./clip";
import { Cast } from "./cast";
import { CurvesPanel } from "./curves";
import type { Source, Summary } from "./data";
import { Header } from "./header";
import { useAddress } from "./hooks/address";
import { useKeys } from "./hooks/keys";
import { useMoment } from "./hooks/moment";
import { useBeside } from "./hooks/beside";
import { NO_STORY, useEvents, usePasses } from "./hooks/recording";
import { useStage } from "./hooks/stage";
import { useTraces } from "./hooks/traces";
import { type Controls, keyList } from "./keys";
import { killText, lastKills } from "./killfeed";
import { SHOWN, type Shown } from "./layers";
import { MapBox } from "./mapbox";
import { Motion } from "./motion";
import { EventsPanel, InspectPanel, PlayersPanel, ProblemsPanel } from "./panels";
import { Playback } from "./playback";
import type { Shared } from "./shared";
import { type Browsed, TablesPanel } from "./tables";
import { Tabs, tabsOf } from "./tabs";
import { shownTime } from "./time";
import { Chapters, TimelineBox, Transport } from "./transport";
import { Words } from "./words";

export interface Opened { source: Source; match: number; summary: Summary; several: boolean }

/** The nearest tick after the playhead, or before it. */
function nearest(ticks: number[], tick: number, sign: number): number | undefined {
  return sign > 0 ? ticks.find((each) => each > tick) : ticks.findLast((each) => each < tick);
}

/** The same members with one added or removed. */
function toggled(members: Iterable<number>, member: number): Set<number> {
  const found = new Set(members);
  if (!found.delete(member)) found.add(member);
  return found;
}

/** Names of the layers that are on or off. */
const LAYERS = Object.keys(SHOWN).filter((name): name is Exclude<keyof Shown, "sight"> => name !== "sight");

function shownBy(layers: string[], sight: number | null): Shown {
  const found: Shown = { ...SHOWN, sight };
  for (const name of LAYERS) if (layers.includes(name)) found[name] = !found[name];
  return found;
}

/** The note on the moment on which the page opened is shown within this many seconds of it. */
const NOTED_SECONDS = 30;
/** Seconds of a clip without a chosen range. */
const CLIP_SECONDS = 10;

function firstTable(summary: Summary, wanted: string | null): string {
  const names = summary.tables.map((each) => each.name);
  return [wanted, "events", names[0]].find((name) => name && names.includes(name)) ?? "";
}

function Intro({ live, opened, onStart, onClose }: { live: boolean; opened: string | null; onStart: () => void; onClose: () => void }) {
  return (
    <p class="intro">
      {!live && <>A recorded match in one file. Space plays it; click the timeline to go there, or a player to follow them. </>}
      {opened && <>Opened on {opened}. <button type="button" onClick={onStart}>from the start</button></>}
      <button type="button" onClick={onClose}>got it</button>
    </p>
  );
}

function KeySheet({ keys, onClose }: { keys: [string, string][]; onClose: () => void }) {
  return (
    <div class="sheet" role="dialog" aria-label="keys">
      <dl>{keys.map(([key, meaning]) => <div key={key}><dt>{key}</dt><dd>{meaning}</dd></div>)}</dl>
      <button type="button" onClick={onClose}>close</button>
    </div>
  );
}

export function Theatre({ source, match, summary, several }: Opened) {
  const start = useMemo(startingPlace, []);
  const cast = useMemo(() => new Cast(summary), [summary]);
  const words = useMemo(() => new Words(summary.presentation), [summary]);
  const playback = useMemo(() => new Playback(summary.first_tick, Math.max(summary.first_tick + 1, summary.last_tick), summary.rate, start.tick ?? summary.first_tick, start.speed ?? 1), [summary, start]);
  const motion = useMemo(() => new Motion(source, match, summary), [source, match, summary]);
  const tabs = useMemo(() => tabsOf(summary), [summary]);
  const jumpKeys = summary.presentation.feed.jumps;

  const [tab, setTab] = useState(tabs.find((each) => each === start.tab) ?? tabs[0]);
  const [kinds, setKinds] = useState(start.kinds?.filter((kind) => kind in summary.kinds) ?? summary.notable);
  const [bookmarks, setBookmarks] = useState(start.bookmarks);
  const [search, setSearch] = useState(start.search);
  const [curve, setCurve] = useState((summary.curves.find((each) => each.name === start.curve) ?? summary.curves[0])?.name ?? "");
  const [browsed, setBrowsed] = useState<Browsed>({ table: firstTable(summary, start.table), sort: start.sort, rows: start.rows, sql: source.live ? start.sql : null });
  const [follow, setFollow] = useState(start.follow && start.selected !== null);
  const [hidden, setHidden] = useState<Set<number>>(new Set(start.hidden));
  const [shown, setShown] = useState(() => shownBy(start.layers, start.sight));
  const [range, setRange] = useState<Range | null>(start.range);
  const [span, setSpan] = useState<Range | null>(start.span);
  const [board, setBoard] = useState(start.board);
  const [chosen, setChosen] = useState<number[]>([]);
  const [help, setHelp] = useState(false);
  const [intro, setIntro] = useState(!source.live);
  const [opened, setOpened] = useState<string | null>(null);
  const [recorded, setRecorded] = useState<number | null>(null);
  const [copied, setCopied] = useState(false);
  const [dark, setDark] = useState(document.documentElement.dataset.theme !== "light");

  const { canvas, line, stage, ready, began, selected, tip } = useStage({ summary, cast, words, playback, motion, start, onRange: setRange });
  const map = stage?.map ?? null, timeline = stage?.timeline ?? null;
  const { ground, jumps, clock, story, opening } = usePasses(source, match, began);
  const { events, marks, loading } = useEvents(source, match, kinds, began);
  const owner = selected?.player ?? null;
  const traces = useTraces(source, match, map, shown.heat, shown.path, owner);
  const place = {
    match: several ? match : null, beside: null, tab: tab === tabs[0] ? null : tab, bookmarks, kinds: kinds.join() === summary.notable.join() ? null : kinds,
    table: tab === "tables" ? browsed.table : null, sort: browsed.sort, rows: browsed.rows, sql: browsed.sql, search, range, span, board, follow,
    layers: LAYERS.filter((name) => shown[name] !== SHOWN[name]), sight: shown.sight, hidden: [...hidden],
    curve: curve === summary.curves[0]?.name ? null : curve,
  };
  const write = useAddress(start, place, playback, map, (moved) => setFollow(moved.follow));
  const moment = useMoment(source, match, summary, playback, write);
  const time = useMemo(() => (tick: number) => shownTime(tick, summary, clock), [summary, clock]);
  const shared: Shared = { source, match, summary, cast, words, playback, time, clock, dark };

  useEffect(() => { document.title = `${cast.headline() || summary.name} · playhead`; }, [cast, summary]);
  useEffect(write, [write, tab, bookmarks, kinds, selected, browsed, search, range, span, board, follow, shown, hidden, curve]);
  useEffect(() => {
    if (!opening || start.tick !== null || playback.playing || playback.tick !== playback.first) return;
    playback.begin(opening.tick);
    map?.refit();
    setOpened(opening.label);
  }, [opening, start, playback, map]);
  useEffect(() => { if (timeline) timeline.onSpan = setSpan; }, [timeline]);
  useBeside(playback, summary, clock);
  useEffect(() => { if (ground) map?.setGround(ground); }, [map, ground]);
  useEffect(() => { map?.show(shown, hidden, follow); }, [map, shown, hidden, follow]);
  useEffect(() => {
    timeline?.show({ marks, bookmarks, time, clock, lead: story.lead, chance: story.win_chance, chapters: story.chapters, range, doubts: ground?.doubts ?? [] });
  }, [timeline, marks, bookmarks, time, clock, story, range, ground]);
  useEffect(() => {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    map?.theme();
    timeline?.again();
  }, [dark, map, timeline]);

  const tick = Math.floor(playback.tick);
  // The note on the opening goes when the playhead goes.
  const told = opening && Math.abs(tick - opening.tick) < NOTED_SECONDS * summary.rate ? opened : null;
  const toNearest = (ticks: number[], sign: number): void => {
    const found = nearest(ticks, Math.floor(playback.tick), sign);
    if (found !== undefined) playback.seek(found);
  };
  const followPlayer = (player: number): void => {
    const track = map?.trackOf(player);
    if (!track) return;
    map?.select(track);
    setFollow(true);
  };
  const controls: Controls = {
    toggle: () => playback.toggle(),
    move: (seconds) => playback.move(seconds),
    step: (ticks) => playback.seek((ticks < 0 ? Math.ceil(playback.tick) : Math.floor(playback.tick)) + ticks),
    faster: (by) => playback.faster(by),
    seek: (share) => playback.seek(Math.floor(playback.first + (playback.last - playback.first) * share)),
    event: (sign) => toNearest(marks.map((mark) => mark.tick), sign),
    jump: (name, sign) => toNearest(jumps[name] ?? [], sign),
    bookmark: () => setBookmarks((old) => [...toggled(old, Math.floor(playback.tick))].sort((a, b) => a - b)),
    toBookmark: (sign) => toNearest(bookmarks, sign),
    follow: () => setFollow((old) => !old && map?.selected != null),
    zoom: (factor) => map?.zoomBy(factor),
    fit: () => map?.fit(),
    theme: () => setDark((old) => !old),
    search: () => { setTab("events"); setTimeout(() => document.getElementById("search")?.focus()); },
    help: () => setHelp((old) => !old),
    escape: () => { setHelp(false); map?.select(null); setFollow(false); },
    rangeAt: (end) => setRange((old) => rangeAt(old, Math.floor(playback.tick), end, [playback.first, playback.last])),
    noRange: () => setRange(null),
    zoomTime: (factor) => timeline?.zoom(factor),
  };
  useKeys(jumpKeys, controls);
  const link = (): void => {
    write();
    navigator.clipboard?.writeText(location.href).then(() => { setCopied(true); setTimeout(() => setCopied(false), 1500); }, () => {});
  };
  const clip = async (): Promise<void> => {
    if (!map || recorded !== null) return;
    const start = range ? range[0] : playback.tick, seconds = range ? playback.secondsOf(range[1] - range[0]) : CLIP_SECONDS;
    const lines = (): string[] => lastKills(marks, Math.floor(playback.tick), summary.rate).map(({ mark, times }) => `${killText(cast, mark.kill)}${times > 1 ? ` ×${times}` : ""}`);
    setRecorded(0);
    try {
      const film = await record(map, playback, start, seconds, cast.headline() || summary.name, () => time(Math.floor(playback.tick)), lines, setRecorded);
      save(film, `${summary.name.replace(/\.[^.]*$/, "")}-${Math.floor(start)}.${film.type.includes("mp4") ? "mp4" : "webm"}`);
    } finally { setRecorded(null); }
  };

  const label = selected ? [cast.name(selected.player), words.name(selected.kind)].filter(Boolean).join(" · ") : "";
  const nothing = motion.isEmpty ? "the recording has no places of units here" : motion.onlyAttention ? "the recording has no units: these are the players' screens and orders"
    : follow && map?.isChosenAway ? `${cast.name(owner) || "what is followed"} is not on the map at this moment`
    : map?.isBare ? "nothing is on the map at this moment" : null;
  const status = motion.error ?? traces ?? (ready ? (ground?.picture_error ?? nothing) : "loading…");
  return (
    <div class={`theatre ${tab === "tables" || tab === "builds" || (tab === "players" && board !== null) ? "wide" : ""} ${summary.has_map ? "" : "unmapped"}`}>
      <Header shared={shared} several={several} help={help} onLink={link} onTheme={controls.theme} onHelp={controls.help}
        onClip={summary.has_map && canRecord() ? clip : undefined} recorded={recorded} copied={copied}
        problems={story.problems} onProblems={() => setTab("problems")} />
      <main class="stage">
        {summary.has_map && (
          <MapBox shared={shared} canvas={canvas} map={map} motion={motion} ground={ground} marks={marks} tick={tick}
            shown={shown} onShown={setShown} status={status} />
        )}
        {(intro || told) && <Intro live={source.live} opened={told} onStart={() => { playback.seek(playback.first); setOpened(null); }} onClose={() => { setIntro(false); setOpened(null); }} />}
        {story.chapters.length > 1 && <Chapters shared={shared} chapters={story.chapters} tick={tick} />}
        <Transport shared={shared} tick={tick} jumps={jumps} onEvent={controls.event} onJump={controls.jump} />
        <TimelineBox shared={shared} tick={tick} line={line} tip={tip} timeline={timeline} range={range} lead={story.lead} chance={story.win_chance}
          bookmarked={bookmarks.includes(tick)} onBookmark={controls.bookmark} onRangeAt={controls.rangeAt} onNoRange={controls.noRange} />
      </main>
      <Tabs tabs={tabs} tab={tab} builds={summary.builds} onTab={setTab}>
        {tab === "players" && <PlayersPanel shared={shared} moment={moment} hidden={hidden} selected={owner} onHide={(player) => setHidden((old) => toggled(old, player))} onSelect={followPlayer} board={board} onBoard={setBoard}
          marks={events?.every.kill ? [] : marks} chapters={story.chapters} />}
        {tab === "events" && <EventsPanel shared={shared} events={events} kinds={kinds} onKinds={setKinds} search={search} onSearch={setSearch} loading={loading} range={range} />}
        {tab === "inspect" && <InspectPanel shared={shared} id={selected?.id ?? null} tick={moment?.tick ?? tick} label={label} follow={follow} onFollow={() => setFollow(!follow)} />}
        {tab === "curves" && <CurvesPanel shared={shared} name={curve} onName={setCurve} range={range} chosen={owner} />}
        {tab === "tables" && <TablesPanel shared={shared} browsed={browsed} onBrowsed={setBrowsed} range={range} />}
        {tab === "builds" && (story.builds?.players.length ? <BuildsPanel shared={shared} builds={story.builds} chosen={chosen} onChosen={setChosen} /> : <p class="hint" role="status">{story === NO_STORY ? "reading the recording…" : "The recording has none."}</p>)}
        {tab === "problems" && <ProblemsPanel shared={shared} />}
      </Tabs>
      {help && <KeySheet keys={keyList(jumpKeys)} onClose={() => setHelp(false)} />}
    </div>
  );
}
