import { sql } from "drizzle-orm";
import * as z from "zod";
import { authenticateOperator } from "../http/authenticate-operator.ts";
import { handles } from "../http/declares.ts";
import { ok } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { id, recordPath } from "../http/input/id.ts";
import { integer, largeInteger } from "../http/input/integer.ts";
import { instant } from "../http/input/timestamp.ts";
import { validate } from "../http/validation/validate.ts";

/** Maximum number of days in a response. Older days are deleted. */
export const maximumDays = 400;

const dayMs = 86_400_000;
const day = z.iso.date().meta({ maxLength: 10 });
const counted = integer()
  .nullable()
  .meta({ description: "Null until the day has ended and has been counted." });

/** The usage of an organization per day (API contract, section 15). */
export const usageSchema = z
  .object({
    organization_id: id,
    days: z
      .array(
        z
          .object({
            day,
            requests: largeInteger.meta({ description: "Requests with its keys and tokens." }),
            hosts: counted,
            versions: counted,
            daemons: counted,
            webhook_deliveries: largeInteger.meta({
              description: "Messages sent to its webhooks, including retries.",
            }),
          })
          .meta({ id: "UsageDay", description: "The usage on a day in UTC." }),
      )
      .max(maximumDays),
  })
  .meta({ id: "Usage", description: "The usage of an organization, for billing." });

type Day = z.output<typeof usageSchema>["days"][number];

const dayOf = (text: string) => text.slice(0, 10);

/** The number of days from one day to another, including both. */
const daysIn = (from: string, to: string) =>
  (Date.parse(dayOf(to)) - Date.parse(dayOf(from))) / dayMs + 1;

const query = z
  .strictObject({ from: instant.default(() => ago(30)), to: instant.default(() => ago(0)) })
  .superRefine(({ from, to }, { addIssue }) => {
    const days = daysIn(from, to);
    if (days < 1) {
      addIssue({ code: "custom", path: ["to"], message: "must not be before `from`" });
    }
    if (days > maximumDays) {
      const message = `must be at most ${maximumDays} days after \`from\`, counting both`;
      addIssue({ code: "custom", path: ["to"], message });
    }
  });

const ago = (days: number) => new Date(Date.now() - days * dayMs).toISOString();

/** GET /api/v1/organizations/{id}/usage: the usage of an organization per day, for operators. */
export const readUsage = factory.createHandlers(
  authenticateOperator(),
  validate({ param: recordPath, query }),
  handles({ errors: ["entity_not_found"] }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { from, to } = c.req.valid("query");
    const [{ rows }] = await c.var.operator.run((database) => [
      database.execute<Day & Record<string, unknown>>(sql`
        select * from app.usage_of(${id}, ${dayOf(from)}::date, ${dayOf(to)}::date)`),
    ]);
    const days = rows.map(
      ({ day, requests, hosts, versions, daemons, webhook_deliveries }): Day => ({
        day,
        requests,
        hosts,
        versions,
        daemons,
        webhook_deliveries,
      }),
    );
    return ok(c, { organization_id: id, days });
  },
);
