import * as z from "zod";

/** The response of health: the name and version of the service. */
export const healthSchema = z.string().max(100);

/** The response of readiness. */
export const statusSchema = z
  .object({ status: z.literal("ok") })
  .meta({ id: "Readiness", description: "The service is ready." });
