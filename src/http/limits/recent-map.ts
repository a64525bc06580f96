/**
 * A bounded map whose values expire. When it is full, it evicts the value that was set longest ago.
 */
export class RecentMap<Value> {
  readonly #entries = new Map<string, { value: Value; until: number }>();
  readonly #maximum: number;

  /** @param maximum maximum number of entries */
  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** @param until expiry, in milliseconds since the epoch */
  set(text: string, value: Value, until: number): void {
    // Deleted first, so that the key moves to the end of the Map's insertion order.
    this.#entries.delete(text);
    this.#entries.set(text, { value, until });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maximum) {
        break;
      }
      this.#entries.delete(oldest);
    }
  }

  /** The value of a key; undefined if absent or expired. */
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
