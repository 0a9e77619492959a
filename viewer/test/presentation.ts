// A presentation without any content, for tests to fill.
import type { Presentation, Summary } from "../src/data";

export const PLAIN: Presentation = {
  sides: [],
  nobody: null,
  feed: { words: {}, jumps: [], sides_change: false },
  map: {
    y_is_down: false,
    length: ["map units", 1],
    mark_styles: {},
    mark_radius: 1,
    unit_radius: 42,
    fade_seconds: null,
    camera: [0, 0],
    cone: [0, 0],
    inactive_units: false,
    layers: [],
    legend: [],
    tile: null,
  },
  stage: { colours: [], score_label: "", totals: [], facts: [] },
  wording: { prefixes: "", hidden_names: "", fact_names: {}, fact_values: {}, hidden_facts: [] },
};

export function summaryOf(more: Partial<Summary>): Summary {
  return {
    name: "match",
    format: "",
    game: "",
    title: "",
    map: null,
    complete: true,
    winner: null,
    started: null,
    ended: null,
    first_tick: 0,
    last_tick: 1000,
    rate: 10,
    rate_known: true,
    step: 1,
    stretch: 100,
    presentation: PLAIN,
    capabilities: [],
    has_map: true,
    jump_distance: 50,
    sight_teams: [2, 3],
    players: [],
    notable: [],
    kinds: {},
    tables: [],
    curves: [],
    builds: null,
    notes: [],
    ...more,
  };
}
