import { type MutableRef, useRef } from "preact/hooks";

/** Returns a reference to the value of the latest render, for callbacks that live longer than one. */
export function useLatest<T>(value: T): MutableRef<T> {
  const latest = useRef(value);
  latest.current = value;
  return latest;
}
