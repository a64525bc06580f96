import { sql } from "./database.ts";

/** The role of the API without the gate: the first query of a transaction. */
export const becomeApi = () => sql`set local role inventory_api`;

/** The gate, as the API passes it: the first query of a transaction. */
export const enter = (key: string) => sql`
  select set_config('role', 'inventory_api', true), entered.key_id, entered.organization_id
  from app.enter(sha256(convert_to(${key}, 'UTF8')), 'Viewer', 8000) as entered`;
