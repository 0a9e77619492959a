// The layers of the map that can be shown and hidden.
/** `sight` is the team whose view is shown, null for everything that the recording has. */
export interface Shown {
  names: boolean;
  trails: boolean;
  health: boolean;
  /** What players see, as cones. */
  cones: boolean;
  /** Shots, hits, smokes, timers. */
  effects: boolean;
  units: boolean;
  details: boolean;
  cameras: boolean;
  orders: boolean;
  heat: boolean;
  path: boolean;
  picture: boolean;
  /** Lanes of events below the lead. */
  lanes: boolean;
  /** Colours that are told apart by everybody, instead of those of the game. */
  safe: boolean;
  sight: number | null;
}
export const SHOWN: Shown = {
  names: true,
  trails: true,
  health: true,
  cones: true,
  effects: true,
  units: true,
  details: true,
  cameras: true,
  orders: true,
  heat: false,
  path: false,
  picture: true,
  lanes: false,
  safe: false,
  sight: null,
};
/** Names of the layers that are on or off. */
export const LAYERS = Object.keys(SHOWN).filter((name): name is Exclude<keyof Shown, "sight"> => name !== "sight");

/** The layers as they are at first, with these turned over. */
export function shownBy(layers: string[], sight: number | null): Shown {
  const found: Shown = { ...SHOWN, sight };
  for (const name of LAYERS) if (layers.includes(name)) found[name] = !found[name];
  return found;
}
