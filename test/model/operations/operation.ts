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
   * Performs the operation on records from the client's view of the inventory.
   * @returns false if there is no suitable record; the caller then chooses another operation
   */
  run(client: Client): Promise<boolean>;
}
