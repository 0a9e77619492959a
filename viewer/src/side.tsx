// The panel beside the map that the tabs choose.
import { useState } from "preact/hooks";
import { BuildsPanel } from "./builds";
import { CurvesPanel } from "./curves";
import type { Decided, Events, Moment, Story } from "./data";
import { DecidedPanel } from "./decided";
import { EventsPanel } from "./events";
import { type Choices, type Choose, toggled } from "./hooks/choices";
import type { Overlay } from "./hooks/overlay";
import { NO_STORY } from "./hooks/recording";
import { InspectPanel } from "./inspect";
import type { ThingInfo } from "./motion";
import type { MapView } from "./map";
import { NotesPanel } from "./notes";
import { OverlayPanel } from "./overlay_panel";
import { PlayersPanel } from "./players";
import { ProblemsPanel } from "./problems";
import type { Shared } from "./shared";
import { TablesPanel } from "./tables";
import { Tabs } from "./tabs";
import { joined } from "./words";
import { Reading } from "./status";

interface Props {
  shared: Shared;
  tabs: string[];
  choices: Choices;
  choose: Choose;
  onSelect: (player: number) => void;
  selected: ThingInfo | null;
  moment: Moment | null;
  tick: number;
  events: Events | null;
  loading: boolean;
  story: Story;
  decided: Decided | null;
  quiet: boolean;
  overlay: Overlay;
  map: MapView | null;
}

export function Side({
  shared,
  tabs,
  choices,
  choose,
  onSelect,
  selected,
  moment,
  tick,
  events,
  loading,
  story,
  decided,
  quiet,
  overlay,
  map,
}: Props) {
  const { cast, words, summary } = shared;
  const { tab, kinds, search, curve, browsed, follow, hidden, range, board } = choices;
  const [compared, setCompared] = useState<number[]>([]);
  const owner = selected?.player ?? null;
  const label = selected ? joined([cast.name(selected.player), words.name(selected.kind)]) : "";
  return (
    <Tabs tabs={tabs} tab={tab} builds={summary.builds} onTab={(tab) => choose({ tab })}>
      {tab === "summary" &&
        (quiet ? <p class="hint">results are hidden</p> : <DecidedPanel shared={shared} found={decided} />)}
      {tab === "players" && (
        <PlayersPanel
          shared={shared}
          moment={moment}
          hidden={hidden}
          selected={owner}
          onSelect={onSelect}
          board={board}
          onBoard={(board) => choose({ board })}
          onHide={(player) => choose((old) => ({ hidden: toggled(old.hidden, player) }))}
          story={story}
        />
      )}
      {tab === "events" && (
        <EventsPanel
          shared={shared}
          events={events}
          kinds={kinds}
          onKinds={(kinds) => choose({ kinds })}
          search={search}
          onSearch={(search) => choose({ search })}
          loading={loading}
          range={range}
        />
      )}
      {tab === "inspect" && (
        <InspectPanel
          shared={shared}
          id={selected?.id ?? null}
          tick={moment?.tick ?? tick}
          label={label}
          follow={follow}
          onFollow={() => choose({ follow: !follow })}
        />
      )}
      {tab === "curves" && (
        <CurvesPanel shared={shared} name={curve} onName={(curve) => choose({ curve })} range={range} chosen={owner} />
      )}
      {tab === "tables" && (
        <TablesPanel shared={shared} browsed={browsed} onBrowsed={(browsed) => choose({ browsed })} range={range} />
      )}
      {tab === "builds" &&
        (story.builds?.players.length ? (
          <BuildsPanel shared={shared} builds={story.builds} chosen={compared} onChosen={setCompared} />
        ) : (
          <Reading none={story !== NO_STORY} />
        ))}
      {summary.notes.includes(tab) && <NotesPanel key={tab} shared={shared} label={tab} map={map} />}
      {tab === "overlay" && <OverlayPanel shared={shared} overlay={overlay} />}
      {tab === "problems" && <ProblemsPanel shared={shared} />}
    </Tabs>
  );
}
