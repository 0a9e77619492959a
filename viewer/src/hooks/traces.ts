import { useEffect, useState } from "preact/hooks";
import type { Heat, Path, Source } from "../data";
import type { MapView } from "../map";

/** Loads heat and path of a player, or the heat of all players, when they are shown; returns a message while it loads or fails. */
export function useTraces(
  source: Source,
  match: number,
  map: MapView | null,
  heat: boolean,
  path: boolean,
  player: number | null,
): string | null {
  const [message, setMessage] = useState<string | null>(null);
  const paths = path && player !== null;
  useEffect(() => {
    if (!map || !(heat || (paths && source.live))) return;
    let wanted = true;
    const load = async (): Promise<void> => {
      if (heat) {
        const found = await source.get<Heat>(match, "heat", player === null || !source.live ? {} : { player });
        if (wanted) map.heat = found;
      }
      if (paths && source.live) {
        const found = await source.get<Path>(match, "path", { player });
        if (wanted) map.path = found;
      }
    };
    setMessage("reading positions…");
    load().then(
      () => {
        if (wanted) {
          setMessage(null);
          map.again();
        }
      },
      (error) => {
        if (wanted) setMessage(error.message);
      },
    );
    return () => {
      wanted = false;
    };
  }, [source, match, map, heat, paths, player]);
  return message;
}
