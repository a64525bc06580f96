import * as z from "zod";

/** What health responds with: the name of the service and its version. */
export const healthSchema = z.string().max(100);

/** What readiness responds with. */
export const statusSchema = z
  .object({ status: z.literal("ok") })
  .meta({ id: "Readiness", description: "The service is ready." });
