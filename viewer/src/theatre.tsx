// One recording: map, timeline and panels. The state that several parts share is here; hooks do the work.
import { useEffect, useMemo, useState } from "preact/hooks";
import { placeOf } from "./address";
import { Cast } from "./cast";
import { CurvesPanel } from "./curves";
import type { Source, Summary } from "./data";
import { Header } from "./header";
import { useAddress } from "./hooks/address";
import { useKeys } from "./hooks/keys";
import { useMoment } from "./hooks/moment";
import { useEvents, usePasses } from "./hooks/recording";
import { useStage } from "./hooks/stage";
import { useTraces } from "./hooks/traces";
import { type Controls, keyList } from "./keys";
import { SHOWN } from "./map";
import { MapBox } from "./mapbox";
import { Motion } from "./motion";
import { EventsPanel, InspectPanel, PlayersPanel, ProblemsPanel } from "./panels";
import { Playback } from "./playback";
import type { Shared } from "./shared";
import { TablesPanel } from "./tables";
import { Tabs, tabsOf } from "./tabs";
import { shownTime } from "./time";
import { TimelineBox, Transport } from "./transport";
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

function firstTable(summary: Summary, wanted: string | null): string {
  const names = summary.tables.map((each) => each.name);
  return [wanted, "events", names[0]].find((name) => name && names.includes(name)) ?? "";
}

function Intro({ onClose }: { onClose: () => void }) {
  return (
    <p class="intro">A recorded match in one file. <b>▶</b> plays it; click the timeline to go there, or a player to follow them. <button type="button" onClick={onClose}>got it</button></p>
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
  const start = useMemo(() => placeOf(location.hash), []);
  const cast = useMemo(() => new Cast(summary), [summary]);
  const words = useMemo(() => new Words(summary.presentation), [summary]);
  const playback = useMemo(() => new Playback(summary.first_tick, Math.max(summary.first_tick + 1, summary.last_tick), summary.rate, start.tick), [summary, start]);
  const motion = useMemo(() => new Motion(source, match, summary), [source, match, summary]);
  const tabs = useMemo(() => tabsOf(summary), [summary]);
  const jumpKeys = summary.presentation.feed.jumps;

  const [tab, setTab] = useState(tabs.find((each) => each === start.tab) ?? tabs[0]);
  const [kinds, setKinds] = useState(start.kinds?.filter((kind) => kind in summary.kinds) ?? summary.notable);
  const [bookmarks, setBookmarks] = useState(start.bookmarks);
  const [search, setSearch] = useState("");
  const [curve, setCurve] = useState(summary.curves[0]?.name ?? "");
  const [table, setTable] = useState(firstTable(summary, start.table));
  const [follow, setFollow] = useState(false);
  const [hidden, setHidden] = useState<Set<number>>(new Set());
  const [shown, setShown] = useState(SHOWN);
  const [help, setHelp] = useState(false);
  const [intro, setIntro] = useState(!source.live);
  const [dark, setDark] = useState(document.documentElement.dataset.theme !== "light");

  const { canvas, line, stage, ready, began, selected, tip } = useStage({ summary, cast, words, playback, motion, start });
  const map = stage?.map ?? null, timeline = stage?.timeline ?? null;
  const { ground, jumps, clock } = usePasses(source, match, began);
  const { events, marks, loading } = useEvents(source, match, kinds, began);
  const owner = selected?.player ?? null;
  const traces = useTraces(source, match, map, shown.heat, shown.path, owner);
  const place = {
    match: several ? match : null, tab: tab === tabs[0] ? null : tab, bookmarks,
    kinds: kinds.join() === summary.notable.join() ? null : kinds,
  };
  const write = useAddress(start, place, playback, map, (moved) => setFollow(moved.follow));
  const moment = useMoment(source, match, summary, playback, write);
  const time = useMemo(() => (tick: number) => shownTime(tick, summary, clock), [summary, clock]);
  const shared: Shared = { source, match, summary, cast, words, playback, time, clock, dark };

  useEffect(() => { document.title = `${cast.headline() || summary.name} · playhead`; }, [cast, summary]);
  useEffect(write, [write, tab, bookmarks, kinds, selected]);
  useEffect(() => { if (!selected) setFollow(false); }, [selected]);
  useEffect(() => { if (ground) map?.setGround(ground); }, [map, ground]);
  useEffect(() => { map?.show(shown, hidden, follow); }, [map, shown, hidden, follow]);
  useEffect(() => { timeline?.show(marks, bookmarks, ground?.doubts ?? [], time, clock); }, [timeline, marks, bookmarks, ground, time, clock]);
  useEffect(() => {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    map?.theme();
    timeline?.again();
  }, [dark, map, timeline]);

  const tick = Math.floor(playback.tick);
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
    seek: (share) => playback.seek(playback.first + (playback.last - playback.first) * share),
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
    escape: () => { setHelp(false); map?.select(null); },
  };
  useKeys(jumpKeys, controls);
  const link = (): void => { write(); navigator.clipboard?.writeText(location.href).catch(() => {}); };

  const label = selected ? [cast.name(selected.player), words.name(selected.kind)].filter(Boolean).join(" · ") : "";
  const status = motion.error ?? traces ?? (ready ? (ground?.picture_error ?? (motion.isEmpty ? "the recording has no places of units here" : null)) : "loading…");
  return (
    <div class={`theatre ${tab === "tables" ? "wide" : ""} ${summary.has_map ? "" : "unmapped"}`}>
      <Header shared={shared} several={several} help={help} onLink={link} onTheme={controls.theme} onHelp={controls.help} />
      <main class="stage">
        {summary.has_map && (
          <MapBox shared={shared} canvas={canvas} map={map} motion={motion} ground={ground} marks={marks} tick={tick}
            shown={shown} onShown={setShown} status={status} />
        )}
        {intro && <Intro onClose={() => setIntro(false)} />}
        <Transport shared={shared} tick={tick} jumps={jumps} bookmarked={bookmarks.includes(tick)}
          onEvent={controls.event} onJump={controls.jump} onBookmark={controls.bookmark} />
        <TimelineBox shared={shared} tick={tick} line={line} tip={tip} />
      </main>
      <Tabs tabs={tabs} tab={tab} onTab={setTab}>
        {tab === "players" && <PlayersPanel shared={shared} moment={moment} hidden={hidden} selected={owner} onHide={(player) => setHidden((old) => toggled(old, player))} onSelect={followPlayer} />}
        {tab === "events" && <EventsPanel shared={shared} events={events} kinds={kinds} onKinds={setKinds} search={search} onSearch={setSearch} loading={loading} />}
        {tab === "inspect" && <InspectPanel shared={shared} id={selected?.id ?? null} tick={moment?.tick ?? tick} label={label} follow={follow} onFollow={() => setFollow(!follow)} />}
        {tab === "curves" && <CurvesPanel shared={shared} name={curve} onName={setCurve} />}
        {tab === "tables" && <TablesPanel shared={shared} name={table} onName={setTable} />}
        {tab === "problems" && <ProblemsPanel shared={shared} />}
      </Tabs>
      {help && <KeySheet keys={keyList(jumpKeys)} onClose={() => setHelp(false)} />}
    </div>
  );
}
