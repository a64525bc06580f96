import { effect } from "@preact/signals";
import { render } from "preact";
import { changes, Problem, read, trouble } from "./api.ts";
import { day } from "./dates.ts";
import { resume, session } from "./session.ts";
import { Shell } from "./shell.tsx";
import { place, revision, settleMs } from "./state.ts";

/** The interval between reads of new changes, in milliseconds. */
const followMs = 10_000;

/** Follows the feed of changes while the page is in view and shows the inventory as of now. */
function follow(): void {
  let cursor: string | undefined;
  effect(() => {
    cursor = undefined;
    session.value;
  });
  setInterval(async () => {
    const isPast = place.peek().at !== undefined && place.peek().with !== undefined;
    if (session.peek() === undefined || document.hidden || isPast || trouble.peek()) {
      return;
    }
    try {
      const { data, meta } = await read(changes.$get({ query: { cursor: cursor ?? "now" } }));
      cursor = meta.next_cursor;
      if (data.length > 0) {
        settleMs.value = 0;
        revision.value++;
      }
    } catch (error) {
      if (!(error instanceof Problem)) {
        throw error;
      }
      cursor = undefined;
    }
  }, followMs);
}

effect(() => {
  const { view, at } = place.value;
  const name = {
    hosts: "Hosts",
    map: "Map",
    table: "Map",
    changes: "Changes",
    compare: "Differences",
  }[view];
  document.title = `${name}${at === undefined ? "" : `, ${day(at)}`}: Explore`;
});

const script = document.currentScript;
resume(script instanceof HTMLScriptElement ? (script.dataset["key"] ?? "") : "");
follow();
const root = document.getElementById("explore");
if (root) {
  render(<Shell />, root);
}
