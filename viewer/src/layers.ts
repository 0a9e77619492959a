// The layers of the map that can be shown and hidden.
/** `sight` is the team whose view is shown, null for everything that the recording has. */
export interface Shown {
  names: boolean; trails: boolean; health: boolean; units: boolean; details: boolean; cameras: boolean; orders: boolean; heat: boolean; path: boolean;
  picture: boolean; sight: number | null;
}
export const SHOWN: Shown = {
  names: true, trails: true, health: true, units: true, details: true, cameras: true, orders: true, heat: false, path: false, picture: true, sight: null,
};
