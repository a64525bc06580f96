import type { Client } from "../client.ts";

/** An action of a client. */
export interface Operation {
  name: string;
  /** The relative frequency of the operation. */
  weight: number;
  /**
   * True if it enlarges the inventory. Such operations are skipped once the inventory is large
   * enough.
   */
  adds?: boolean;
  /**
   * Performs the operation, with records of the client's state of the inventory.
   * @returns false if there is no record for it; the caller then chooses another operation
   */
  run(client: Client): Promise<boolean>;
}
