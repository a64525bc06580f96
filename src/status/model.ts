import * as z from "zod";

/** The response of the health endpoint: the service's name and version. */
export const healthSchema = z.string().max(100);

/** The response of the readiness endpoint. */
export const statusSchema = z
  .object({ status: z.literal("ok") })
  .meta({ id: "Readiness", description: "The service is ready." });
