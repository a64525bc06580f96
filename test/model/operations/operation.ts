import type { Client } from "../client.ts";

/** Something that a client does. */
export interface Operation {
  name: string;
  /** How often it is chosen, as others are. */
  weight: number;
  /** Whether it makes the inventory larger: none of these once it is large enough. */
  adds?: boolean;
  /**
   * Does it, as the client's state of the inventory suggests.
   * @returns false where there is nothing to do it with: another operation is then chosen
   */
  run(client: Client): Promise<boolean>;
}
