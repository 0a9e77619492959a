// The opened recording, for all parts of the page.
import type { Cast } from "./cast";
import type { Clock, Source, Summary } from "./data";
import type { Playback } from "./playback";
import type { Words } from "./words";

import type { Range } from "./address";

export interface Shared {
  /** Opens what others get, with a part of the recording. */
  share: (part: Range) => void;
  source: Source;
  match: number;
  summary: Summary;
  cast: Cast;
  words: Words;
  playback: Playback;
  time: (tick: number) => string;
  clock: Clock | null;
  dark: boolean;
  /** Addresses of pictures of characters and weapons by their names. */
  pictures: Record<string, string>;
}
