import { onTestFinished, vi } from "vitest";

/**
 * Records the Worker's log output during a test. Returns a function that returns it as a string.
 */
export function recordConsole(): () => string {
  const methods = ["debug", "log", "info", "warn", "error"] as const;
  const spies = methods.map((method) => vi.spyOn(console, method));
  onTestFinished(() => {
    for (const spy of spies) {
      spy.mockRestore();
    }
  });
  return () =>
    spies
      .flatMap(({ mock }) => mock.calls)
      .map((entries) => entries.map(String).join(" "))
      .join("\n");
}
