// Answers that need a pass over the recording. They are requested after the first drawing.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Clock, Decided, Effect, Events, Ground, Opening, Source, Story, Mark } from "../data";

export interface Passes {
  ground: Ground | null;
  jumps: Record<string, number[]>;
  clock: Clock | null;
  story: Story;
  effects: Effect[];
  decided: Decided | null;
  /** The moment to open on; undefined until it is known. */
  opening: Opening | null | undefined;
}
/** The story before it was read. */
export const NO_STORY: Story = {
  chapters: [],
  scores: [],
  best: [],
  respawns: [],
  deaths: [],
  lead: null,
  win_chance: null,
  tasks: null,
  builds: null,
  problems: 0,
};

/** Requests the ground, the jumps and the clock once `begins` is true; a failed request leaves its default. */
export function usePasses(source: Source, match: number, begins: boolean): Passes {
  const [ground, setGround] = useState<Ground | null>(null);
  const [jumps, setJumps] = useState<Record<string, number[]>>({});
  const [clock, setClock] = useState<Clock | null>(null);
  const [story, setStory] = useState(NO_STORY);
  const [effects, setEffects] = useState<Effect[]>([]);
  const [decided, setDecided] = useState<Decided | null>(null);
  const [opening, setOpening] = useState<Opening | null | undefined>(undefined);
  useEffect(() => {
    if (!begins) return;
    source.get<Ground>(match, "ground").then(setGround, () => {});
    source.get<Opening | null>(match, "opening").then(setOpening, () => setOpening(null));
    source.get<Record<string, number[]>>(match, "jumps").then(setJumps, () => {});
    source.get<Clock>(match, "clock").then(setClock, () => {});
    source.get<Story>(match, "story").then(setStory, () => setStory({ ...NO_STORY }));
    const none = { lines: [], columns: [], rows: [] };
    source.get<Decided>(match, "decided").then(setDecided, () => setDecided(none));
    source.get<Effect[]>(match, "effects").then(setEffects, () => {});
  }, [source, match, begins]);
  return { ground, jumps, clock, story, effects, decided, opening };
}

/** Requests the events of these kinds once `begins` is true. */
export function useEvents(
  source: Source,
  match: number,
  kinds: string[],
  begins: boolean,
): { events: Events | null; marks: Mark[]; loading: boolean } {
  const [events, setEvents] = useState<Events | null>(null);
  const [loading, setLoading] = useState(true);
  const asked = kinds.join(",");
  useEffect(() => {
    if (!begins) return;
    let wanted = true;
    setLoading(true);
    source.get<Events>(match, "events", { kinds: asked }).then(
      (found) => {
        if (wanted) {
          setEvents(found);
          setLoading(false);
        }
      },
      () => {
        if (wanted) setLoading(false);
      },
    );
    return () => {
      wanted = false;
    };
  }, [source, match, asked, begins]);
  const marks = useMemo(() => {
    if (!events) return [];
    const { tick, kind, player, team, text, kill } = events.columns;
    return tick.map((each, row) => ({
      tick: each,
      kind: kind[row],
      player: player[row],
      team: team[row],
      text: text[row],
      kill: kill[row],
    }));
  }, [events]);
  return { events, marks, loading };
}
