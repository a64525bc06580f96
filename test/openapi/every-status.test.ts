import { expect, test } from "vitest";
import { failed, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";

const publicPaths = ["/api/health", "/api/health/ready", "/api/version"];

test.each(publicPaths)("%s is 503 when the configuration is unusable", async (path) => {
  const answer = await openApi({ SEALING_KEYS: "" }).send("GET", path);
  expect(seen(answer)).toEqual(
    failed("service_unavailable", { retry_after_seconds: 60 }, { "retry-after": "60" }),
  );
});

test.each(publicPaths)("%s is 500 when something unforeseen breaks", async (path) => {
  const broken = new Proxy(
    {},
    {
      has() {
        throw new Error("a detail of the inside");
      },
    },
  );
  const answer = await openApi({ POLL_QUEUE: broken }).send("GET", path);
  expect(seen(answer)).toEqual(
    failed("internal_error", { request_id: answer.headers.get("X-Request-Id") }),
  );
});
