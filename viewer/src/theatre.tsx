// One recording: map, timeline and panels. Hooks hold the state that they share and do the work.
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { Actions } from "./actions";
import { type Range, startingPlace } from "./address";
import { Chapters, TaskBands, tasksOf } from "./bands";
import { Cast } from "./cast";
import { Column } from "./columns";
import { Tiles } from "./decided";
import type { Source, Summary } from "./data";
import { useAddress } from "./hooks/address";
import { useBeside } from "./hooks/beside";
import { chosenPlace, useChoices } from "./hooks/choices";
import { controlsOf } from "./hooks/controls";
import { useKeys } from "./hooks/keys";
import { useMoment } from "./hooks/moment";
import { useEvents, usePasses } from "./hooks/recording";
import { overlayControls, useOverlay } from "./hooks/overlay";
import { useStage } from "./hooks/stage";
import { useTraces } from "./hooks/traces";
import { Intro } from "./intro";
import { keyList } from "./keys";
import { Feed } from "./killfeed";
import { MapBox } from "./mapbox";
import { Motion } from "./motion";
import { OverlayBar } from "./overlay_panel";
import { Playback } from "./playback";
import type { Shared } from "./shared";
import { ShareSheet } from "./share";
import { Side } from "./side";
import { gameOf, Strip } from "./strip";
import { tabsOf } from "./tabs";
import { shownTime } from "./time";
import { TimelineBox, Transport, Under } from "./transport";
import { Words } from "./words";
import { attributes, hears } from "./root";

/** The timeline leaves out what follows the last event by some seconds, if it is this share of the recording; a few events
 *  after such a time do not count. */
const IDLE_SHARE = 0.3,
  IDLE_SECONDS = 60,
  FEW_LATER = 3;

function KeySheet({ keys, onClose }: { keys: [string, string][]; onClose: () => void }) {
  return (
    <div class="sheet" role="dialog" aria-label="keys">
      <dl>
        {keys.map(([key, meaning]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <button onClick={onClose}>close</button>
    </div>
  );
}

export function Theatre({
  source,
  match,
  summary,
  several,
}: {
  source: Source;
  match: number;
  summary: Summary;
  several: boolean;
}) {
  const start = useMemo(startingPlace, []);
  const cast = useMemo(() => new Cast(summary), [summary]);
  const words = useMemo(() => new Words(summary.presentation), [summary]);
  const playback = useMemo(
    () =>
      new Playback(
        summary.first_tick,
        Math.max(summary.first_tick + 1, summary.last_tick),
        summary.rate,
        start.tick ?? summary.first_tick,
        start.speed ?? 1,
      ),
    [summary, start],
  );
  const motion = useMemo(() => new Motion(source, match, summary), [source, match, summary]);
  const tabs = useMemo(() => tabsOf(summary, source.live), [summary, source]);
  const [choices, choose] = useChoices(start, source, summary, tabs);
  const [help, setHelp] = useState(false);
  const [shares, setShares] = useState(false);
  const [, setTrimmed] = useState(0);
  const [dark, setDark] = useState(attributes().theme !== "light");

  const { tab, kinds, bookmarks, follow, hidden, shown, range, ink } = choices;
  cast.look(dark, shown.safe);
  const onRange = useCallback((range: Range | null) => choose({ range }), [choose]);
  const { canvas, line, stage, ready, began, selected, tip } = useStage({
    summary,
    cast,
    words,
    playback,
    motion,
    start,
    onRange,
  });
  const map = stage?.map ?? null,
    timeline = stage?.timeline ?? null;
  const { ground, jumps, clock, story: whole, effects, decided, opening: best } = usePasses(source, match, began);
  const quiet = choices.quiet && playback.tick < playback.last;
  // Nothing of what is to come, and no moment that decided it.
  const story = useMemo(
    () => (quiet ? { ...whole, chapters: [], lead: null, win_chance: null } : whole),
    [quiet, whole],
  );
  const opening = quiet ? null : best;
  const { events, marks, loading } = useEvents(source, match, kinds, began);
  const owner = selected?.player ?? null;
  const traces = useTraces(source, match, map, shown.heat, shown.path, owner);
  const place = { match: several ? match : null, beside: null, ...chosenPlace(choices, summary, tabs) };
  const write = useAddress(start, place, playback, map, ({ follow }) => choose({ follow }));
  const moment = useMoment(source, match, summary, playback, write);
  const time = useMemo(() => (tick: number) => shownTime(tick, summary, clock), [summary, clock]);
  const pictures = ground?.pictures ?? {};
  const share = ([first, last]: Range): void => {
    choose({ range: [Math.max(playback.first, first), Math.min(playback.last, last)] });
    playback.seek(first);
    setShares(true);
  };
  const shared: Shared = { share, source, match, summary, cast, words, playback, time, clock, dark, pictures };
  const controls = controlsOf({
    playback,
    stage,
    marks,
    jumps,
    player: owner,
    bookmarks,
    choose,
    setDark,
    setHelp,
    setShares,
  });
  const jumpKeys = summary.presentation.feed.jumps;
  const laid = tab === "overlay",
    overlay = useOverlay(shared, map, laid, choices.over, choose);
  useKeys(jumpKeys, laid ? overlayControls(controls, overlay.playback) : controls);

  useEffect(() => {
    document.title = `${cast.headline() || gameOf(summary)} · playhead`;
  }, [cast, summary]);
  useEffect(write, [write, choices, selected]);
  useEffect(() => {
    if (timeline) timeline.onSpan = (span) => choose({ span });
  }, [timeline, choose]);
  useBeside(playback, summary, clock);
  useEffect(() => {
    if (ground) map?.setGround(ground);
  }, [map, ground]);
  useEffect(() => map?.setEffects(effects), [map, effects]);
  useEffect(() => {
    // Of a damaged recording without units, the page shows what is damaged.
    if (ready && !summary.complete && whole.problems && !start.tab && (motion.isEmpty || motion.onlyAttention))
      choose({ tab: "problems" });
  }, [ready, whole, motion, start, summary, choose]);
  useEffect(() => {
    if (map) map.ink = ink;
  }, [map, ink]);
  useEffect(() => {
    map?.show(shown, hidden, follow);
  }, [map, shown, hidden, follow]);
  useEffect(() => {
    // A recording may go on long after its match: the timeline begins without that.
    const idle = Math.max(IDLE_SHARE * (playback.last - playback.first), IDLE_SECONDS * summary.rate);
    const after = marks.findLastIndex((each, at) => each.tick - (marks[at - 1]?.tick ?? each.tick) > idle);
    // One who stays does not make the match longer.
    const end = marks[after > 0 && after >= marks.length - FEW_LATER ? after - 1 : marks.length - 1]?.tick ?? -Infinity;
    const last = Math.max(end, ...story.chapters.map((each) => each.end ?? 0));
    const unzoomed = timeline && !start.span && !timeline.touched;
    const over = playback.last - last > idle;
    if (unzoomed && marks.length && over) {
      timeline.trim([playback.first, last + IDLE_SECONDS * summary.rate]);
      setTrimmed(last); // the bands below have the same part
    }
    timeline?.show({
      jumps,
      lanes: shown.lanes,
      marks,
      bookmarks,
      time,
      clock,
      lead: story.lead,
      chance: story.win_chance,
      chapters: story.chapters,
      range,
      doubts: ground?.doubts ?? [],
    });
  }, [timeline, marks, bookmarks, time, clock, story, range, ground, playback, start, summary, jumps, shown]);
  useEffect(() => {
    attributes().theme = dark ? "dark" : "light";
    stage?.map?.theme();
    stage?.timeline.again();
  }, [dark, shown.safe, stage]);

  useEffect(() => {
    // Paper is white; its layout comes before the page can render again.
    const paper = (light: boolean) => (): void => {
      attributes().theme = light ? "light" : "dark";
      cast.look(!light, shown.safe);
      stage?.map?.theme();
      stage?.map?.draw(playback.tick, 0);
      stage?.timeline.again();
      stage?.timeline.draw();
    };
    return hears({ beforeprint: paper(true), afterprint: paper(!dark) });
  }, [cast, stage, playback, dark, shown.safe]);

  const tick = Math.floor(playback.tick);
  const nothing = motion.isEmpty
    ? "the recording has no places of units here"
    : motion.onlyAttention
      ? "the recording has no units: these are the players' screens and orders"
      : follow && map?.isChosenAway
        ? `${cast.name(owner) || "what is followed"} is not on the map at this moment`
        : map?.isBare
          ? "nothing is on the map at this moment"
          : null;
  const status = motion.error ?? traces ?? (ready ? (ground?.picture_error ?? nothing) : "loading…");
  const intro = <Intro shared={shared} start={start} opening={opening} map={map} tick={tick} />;
  const followPlayer = (player: number): void => {
    const track = map?.trackOf(player);
    if (!track) return;
    map?.select(track);
    choose({ follow: true });
  };
  const tasks = useMemo(() => tasksOf(story.tasks), [story]);
  const column = (place: number, children?: ComponentChildren) => (
    <Column
      shared={shared}
      moment={moment}
      selected={owner}
      onSelect={followPlayer}
      story={story}
      tasks={tasks}
      tick={tick}
      speed={map?.speed ?? null}
      place={place}
    >
      {children}
    </Column>
  );
  return (
    <div class={`theatre ${tab ? "open" : ""} ${summary.has_map ? "" : "unmapped"} ${laid ? "laid" : ""}`}>
      <Strip
        shared={shared}
        several={several}
        story={story}
        moment={moment}
        tick={tick}
        quiet={quiet}
        onProblems={() => choose({ tab: "problems" })}
      />
      {!quiet && <Tiles shared={shared} decided={decided} opening={opening} />}
      <main class="stage">
        <Transport
          shared={shared}
          speakers={story.speakers}
          jumps={jumps}
          onEvent={controls.event}
          onJump={controls.jump}
        >
          <Under
            shared={shared}
            tick={tick}
            timeline={timeline}
            range={range}
            lead={story.lead}
            chance={story.win_chance}
            bookmarked={bookmarks.includes(tick)}
            lanes={shown.lanes}
            onLanes={() => choose({ shown: { ...shown, lanes: !shown.lanes } })}
            onBookmark={controls.bookmark}
            onRangeAt={controls.rangeAt}
            onNoRange={controls.noRange}
          />
          <Actions
            shared={shared}
            help={help}
            shares={shares}
            quiet={choices.quiet}
            onQuiet={() => choose({ quiet: !choices.quiet })}
            onTheme={controls.theme}
            onHelp={controls.help}
            onShare={() => setShares(!shares)}
          />
        </Transport>
        {summary.has_map && (
          <div class="arena">
            {column(0, <Feed shared={shared} marks={marks} tick={tick} />)}
            <MapBox
              shared={shared}
              canvas={canvas}
              map={map}
              motion={motion}
              ground={ground}
              tick={tick}
              shown={shown}
              onShown={(shown) => choose({ shown })}
              status={status}
              ink={ink}
              onInk={(ink) => choose({ ink })}
            />
            {column(1)}
          </div>
        )}
        {intro}
        {laid && <OverlayBar overlay={overlay} />}
        <TimelineBox shared={shared} tick={tick} line={line} tip={tip}>
          {story.chapters.length > 1 && (
            <Chapters shared={shared} chapters={story.chapters} tick={tick} part={timeline?.part ?? null} />
          )}
          <TaskBands shared={shared} tasks={tasks} selected={owner} tick={tick} part={timeline?.part ?? null} />
        </TimelineBox>
      </main>
      <Side
        shared={shared}
        tabs={tabs}
        choices={choices}
        choose={choose}
        onSelect={followPlayer}
        selected={selected}
        moment={moment}
        tick={tick}
        events={events}
        loading={loading}
        story={story}
        decided={decided}
        quiet={quiet}
        overlay={overlay}
        map={map}
      />
      {shares && (
        <ShareSheet
          shared={shared}
          map={map}
          story={story}
          moment={moment}
          marks={marks}
          range={range}
          opening={opening ?? null}
          onLink={write}
          onClose={() => setShares(false)}
        />
      )}
      {help && <KeySheet keys={keyList(jumpKeys)} onClose={() => setHelp(false)} />}
    </div>
  );
}
