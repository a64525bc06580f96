import { getTableName } from "drizzle-orm";
import { milestones } from "../records.ts";
import { type GeneratedFunction, triggerFunction } from "./text.ts";

/** The tables whose new records reach milestones. */
const tables = [...new Set(milestones.map(({ table }) => table))];

/** Returns the trigger for the milestones that new records of a table reach. */
export const milestoneRules = (table: string): string => `\
-- Onboarding milestones.
create trigger reach_milestones after insert on ${table}
  referencing new table as added for each statement execute function app.reach_milestones();
`;

const branches = tables.map((table) => {
  const name = getTableName(table);
  const statements = milestones
    .filter((milestone) => milestone.table === table)
    .map(({ name: milestone, when, number = 1 }) => {
      const reaching = `select distinct added.organization_id as id from added${
        when === undefined ? "" : `\n        where ${when}`
      }`;
      return number === 1
        ? `\
      perform app.reach_milestone(reaching.id, '${milestone}')
      from (
        ${reaching}) as reaching;
`
        : `\
      -- Concurrent transactions that each add a record run one after the other, so that the last one
      -- counts all of them.
      perform from public.organizations as counting
      where counting.id in (${reaching}) and '${milestone}' <> all (counting.onboarding)
      order by counting.id for no key update;
      if found then
        perform app.reach_milestone(reaching.id, '${milestone}')
        from (
          ${reaching}) as reaching
        where (
          select count(*) from public.${name} as record
          where record.organization_id = reaching.id) >= ${number};
      end if;
`;
    });
  return `    when '${name}' then\n${statements.join("")}`;
});

/** `app.reach_milestones`, with a branch for each table whose new records reach milestones. */
export const reachMilestones: GeneratedFunction = {
  name: "reach_milestones",
  text: `\
-- Adds the onboarding milestones that new records reach.
${triggerFunction(
  "reach_milestones",
  `\
begin
  case tg_table_name
${branches.join("")}  end case;
  return null;
end`,
)}`,
};
