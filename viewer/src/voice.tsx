// What players said, beside the clock: one file of sound a speaker, which begins and ends with the recording.
import { useEffect, useState } from "preact/hooks";
import type { Playback } from "./playback";
import type { Shared } from "./shared";

/** Browsers play sound at these speeds; beyond, voices are silent. */
const SLOWEST = 0.25,
  FASTEST = 4;
/** Seconds that sound may be off before it is moved. */
const DRIFT = 0.2;

/** Sounds that follow a playhead. */
class Chorus {
  private readonly sounds: HTMLAudioElement[] = [];
  constructor(private readonly playback: Playback) {}
  add(file: Blob): void {
    this.sounds.push(new Audio(URL.createObjectURL(file)));
    this.follow();
  }
  follow = (): void => {
    const { playing, speed } = this.playback;
    const at = this.playback.secondsOf(this.playback.tick) * speed;
    for (const sound of this.sounds) {
      if (Math.abs(sound.currentTime - at) > DRIFT * Math.max(1, speed)) sound.currentTime = at;
      if (playing && speed >= SLOWEST && speed <= FASTEST) {
        sound.playbackRate = speed;
        // A browser refuses before the first click on the page; the next change of the playhead asks again.
        if (sound.paused) sound.play().catch(() => {});
      } else sound.pause();
    }
  };
  end(): void {
    for (const sound of this.sounds) {
      sound.pause();
      URL.revokeObjectURL(sound.src);
    }
    this.sounds.length = 0;
  }
}

/** Chooses whom to hear. */
export function Voice({ shared: { source, match, playback }, speakers }: { shared: Shared; speakers: string[] }) {
  const [heard, setHeard] = useState("off");
  const [status, setStatus] = useState("");
  useEffect(() => {
    if (heard === "off") return;
    const chorus = new Chorus(playback);
    let gone = false;
    speakers.forEach((_, speaker) => {
      if (heard !== "all" && heard !== String(speaker)) return;
      fetch(source.link(match, "voice", { speaker }))
        .then(async (answer) => {
          if (!answer.ok) throw new Error((await answer.json()).error);
          if (!gone) chorus.add(await answer.blob());
        })
        .catch((error: Error) => setStatus(error.message));
    });
    const deaf = playback.listen(chorus.follow);
    return () => {
      gone = true;
      deaf();
      chorus.end();
    };
  }, [heard, speakers, source, match, playback]);
  return (
    <label class="speed">
      <span>voice</span>{" "}
      <select value={heard} onChange={(event) => setHeard(event.currentTarget.value)}>
        <option value="off">off</option>
        {speakers.length > 1 && <option value="all">all</option>}
        {speakers.map((name, speaker) => (
          <option key={speaker} value={String(speaker)}>
            {name}
          </option>
        ))}
      </select>
      {status && <span class="dim"> {status}</span>}
    </label>
  );
}
