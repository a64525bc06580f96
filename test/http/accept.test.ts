import { expect, test } from "vitest";
import { formOf } from "../../src/http/list/formats/accept.ts";

const json = { type: "json" };
const csv = { type: "csv", hasMark: false };
const marked = { type: "csv", hasMark: true };
const ndjson = { type: "ndjson" };

test.each([
  [undefined, json],
  ["", json],
  ["  ", json],
  ["*/*", json],
  ["application/*", json],
  ["application/json", json],
  ["APPLICATION/JSON; charset=utf-8", json],
  ["application/json, text/plain, */*", json],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", json],
  ["application/json,text/csv,application/x-ndjson", json],
  ["text/csv", csv],
  ["Text/CSV", csv],
  ["text/*", csv],
  ["text/csv, */*", csv],
  ["text/csv;q=0.9, application/json;q=0.8", csv],
  ["text/csv; header=present", csv],
  ["text/csv; charset=utf-8", csv],
  ["text/csv; header=present; charset=utf-8", marked],
  ['text/csv;charset="UTF-8";header=present', marked],
  ["application/x-ndjson", ndjson],
  ["application/json;q=0.1, application/x-ndjson", ndjson],
  ["*/*;q=0.5, application/x-ndjson;q=0.6", ndjson],
  ["application/json;q=0, */*;q=0.1", csv],
  ["application/json;q=0, application/*", ndjson],
  ["image/png, application/json;q=0.001", json],
  ["nonsense, text/csv", csv],
])("'%s' selects %j", (accept, form) => {
  expect(formOf(accept)).toEqual(form);
});

test.each([
  "image/png",
  "text/plain",
  "text/csv;q=0",
  "*/*;q=0",
  "text/csv; header=absent",
  "text/csv; charset=iso-8859-1",
  "nonsense",
  "text/csv;q=2",
  "text/csv;q=x",
  ",",
])("'%s' is not acceptable", (accept) => {
  expect(() => formOf(accept)).toThrow(
    expect.objectContaining({
      code: "request_not_acceptable",
      params: { media_types: ["application/json", "text/csv", "application/x-ndjson"] },
    }),
  );
});

test("parses a long header quickly", () => {
  const startedAt = performance.now();
  expect(() => formOf(`${"a/b;q=0.5;".repeat(8000)},`.repeat(10))).toThrow();
  expect(performance.now() - startedAt).toBeLessThan(500);
});
