// A dot with the number of a player, in the colour and the shape of its side.
import type { Cast } from "./cast";

export function Dot({
  cast,
  player,
  team,
  now,
}: {
  cast: Cast;
  player: number | null;
  team?: number | null;
  now?: boolean;
}) {
  const side = cast.side(player, team, now);
  return (
    <span
      class={`dot ${cast.sided && side % 2 === 1 ? "square" : ""}`}
      style={{ background: cast.colour(player, team, now) }}
      aria-hidden="true"
    >
      {player ?? ""}
    </span>
  );
}
