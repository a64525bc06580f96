/** Values by text, each kept until a given time. Bounded: the one set longest ago makes room. */
export class RecentMap<Value> {
  readonly #entries = new Map<string, { value: Value; until: number }>();
  readonly #maximum: number;

  /** @param maximum the most texts that it holds */
  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** @param until when the value expires, in milliseconds since the epoch */
  set(text: string, value: Value, until: number): void {
    // Deleted first, as a Map keeps the order in which keys came.
    this.#entries.delete(text);
    this.#entries.set(text, { value, until });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maximum) {
        break;
      }
      this.#entries.delete(oldest);
    }
  }

  /** The value of a text; undefined where there is none, or it has expired. */
  get(text: string): Value | undefined {
    const entry = this.#entries.get(text);
    if (entry !== undefined && entry.until <= Date.now()) {
      this.#entries.delete(text);
      return undefined;
    }
    return entry?.value;
  }

  delete(text: string): void {
    this.#entries.delete(text);
  }
}
