/** Texts with a time until which they count. Bounded: the one added longest ago makes room. */
export class RecentSet {
  readonly #untils = new Map<string, number>();
  readonly #maximum: number;

  /** @param maximum how many texts it holds at most */
  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  get size(): number {
    return this.#untils.size;
  }

  /** @param until when the text stops counting, in milliseconds since the epoch */
  add(text: string, until: number): void {
    // Deleted first, as a Map keeps the order in which keys came.
    this.#untils.delete(text);
    this.#untils.set(text, until);
    for (const oldest of this.#untils.keys()) {
      if (this.#untils.size <= this.#maximum) {
        break;
      }
      this.#untils.delete(oldest);
    }
  }

  has(text: string): boolean {
    const until = this.#untils.get(text);
    if (until !== undefined && until <= Date.now()) {
      this.#untils.delete(text);
      return false;
    }
    return until !== undefined;
  }

  delete(text: string): void {
    this.#untils.delete(text);
  }
}
