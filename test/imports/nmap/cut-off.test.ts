import { expect, test } from "vitest";
import { refusal, report, reports, tryRead } from "./reading.ts";

test.each(Object.keys(reports))("rejects the report %s truncated at any byte", (name) => {
  const bytes = new TextEncoder().encode(report(name));
  const end = report(name).lastIndexOf(">");
  for (let length = 0; length <= end; length++) {
    const { line, problem } = refusal(bytes.subarray(0, length));
    expect(line).toBeGreaterThan(0);
    expect(problem).toMatch(/^[^\n]{10,500}$/);
  }
  if (name !== "error") {
    expect(tryRead(bytes.subarray(0, end + 1))).toEqual(tryRead(bytes));
  }
});

test("the error for a truncated report contains the line of its last tag", () => {
  const text = report("lan");
  expect(refusal(text.slice(0, text.indexOf("</ports>")))).toEqual({
    line: 32,
    problem: "the report is truncated. Send the complete file after the scan has ended.",
  });
});
