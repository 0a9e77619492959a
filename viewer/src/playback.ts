// The playhead: its tick and its speed, and the listeners for both.
export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32];

export class Playback {
  tick: number;
  playing = false;
  readonly #heard = new Set<() => void>();
  #time = 0;

  readonly #rate: number;

  constructor(
    readonly first: number,
    readonly last: number,
    rate: number,
    start = first,
    public speed = 1,
  ) {
    this.#rate = rate;
    if (!SPEEDS.includes(speed)) this.speed = 1;
    this.tick = Math.max(first, Math.min(last, start));
  }

  listen(heard: () => void): () => void {
    this.#heard.add(heard);
    return () => this.#heard.delete(heard);
  }
  #tell(): void {
    for (const heard of this.#heard) heard();
  }
  /** Hears what the user does to the playhead, not that it moves on. */
  onControl: () => void = () => {};
  /** Goes to a tick that the user did not ask for. */
  begin(tick: number): void {
    this.tick = Math.max(this.first, Math.min(this.last, tick));
    this.#tell();
  }
  seek(tick: number): void {
    this.begin(tick);
    this.onControl();
  }
  secondsOf(ticks: number): number {
    return ticks / this.#rate / this.speed;
  }
  move(seconds: number): void {
    this.seek(this.tick + seconds * this.#rate);
  }
  toggle(): void {
    if (!this.playing && this.tick >= this.last) this.tick = this.first;
    this.playing = !this.playing;
    this.#tell();
    this.onControl();
  }
  faster(by: number): void {
    const place = SPEEDS.indexOf(this.speed) + by;
    this.setSpeed(SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, place))]);
  }
  setSpeed(speed: number): void {
    this.speed = speed;
    this.#tell();
    this.onControl();
  }
  /** Advances by the time since the last frame. The tick is a fraction, so that a speed of 1 is real time. Only the times
   *  of frames count; a clock that is set back does not move the playhead. */
  advance(now: number, waits: boolean): void {
    if (this.playing && !waits) {
      const passed = Math.max(0, Math.min(250, now - this.#time)) / 1000;
      this.tick = Math.min(this.last, this.tick + passed * this.#rate * this.speed);
      if (this.tick >= this.last) this.playing = false;
      this.#tell();
    }
    this.#time = now;
  }
}
