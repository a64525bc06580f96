import { sql } from "drizzle-orm";
import { authenticate } from "../../src/http/authenticate.ts";
import { ok } from "../../src/http/envelope.ts";
import { factory } from "../../src/http/factory.ts";
import { respond, respondError } from "../../src/http/respond.ts";

/**
 * The minimal operation: the middleware that every request passes through, and `select 1` behind
 * the gate.
 */
const app = factory.createApp();
app.onError(respondError);
app.use(respond);
app.get(
  "/",
  ...factory.createHandlers(authenticate("Viewer"), async (c) => {
    const [{ rows }] = await c.var.tenant.run((database) => [
      database.execute<{ one: number }>(sql`select 1 as one`),
    ]);
    return ok(c, rows);
  }),
);

// The Workers runtime requires a default export.
export default app;
