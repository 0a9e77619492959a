import { type Inputs, useEffect, useState } from "preact/hooks";
import { useLatest } from "./latest";

/** Loads an answer again whenever the keys change; answers of earlier keys are dropped. */
export function useLoaded<T>(load: () => Promise<T>, keys: Inputs): { found: T | null; error: string | null } {
  const [state, set] = useState<{ found: T | null; error: string | null }>({ found: null, error: null });
  const latest = useLatest(load);
  useEffect(() => {
    let wanted = true;
    latest.current().then(
      (found) => wanted && set({ found, error: null }),
      (error) => wanted && set((old) => ({ found: old.found, error: error.message })),
    );
    return () => {
      wanted = false;
    };
    // biome-ignore lint/correctness/useExhaustiveDependencies: the caller decides when to load again
  }, keys);
  return state;
}
