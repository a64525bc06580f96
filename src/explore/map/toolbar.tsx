import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Problem, readText, topology } from "../api.ts";
import { Link } from "../link.tsx";
import { announcement, go, maximumVlan, type Place, place } from "../state.ts";
import { currentQuery, drawn } from "./graph.ts";

const layers: readonly { layer: Place["layer"]; name: string }[] = [
  { layer: undefined, name: "Layer 3" },
  { layer: "l2", name: "Layer 2" },
  { layer: "services", name: "Services" },
];

const depths = [1, 2, 3, 4, 5, 6];

/** Saves a text as a file on the reader's computer. */
function save(text: string, type: string, ending: string): void {
  const link = document.createElement("a");
  const instant = place.value.at?.slice(0, 10) ?? new Date().toISOString().slice(0, 10);
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = `map-${instant}.${ending}`;
  link.click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  announcement.value = `${link.download} is saved.`;
}

const texts = [
  { name: "Mermaid", type: "text/vnd.mermaid", ending: "mmd" },
  { name: "DOT", type: "text/vnd.graphviz", ending: "dot" },
];

function ExportMenu({ draw }: { draw: (() => string) | undefined }) {
  const failure = useSignal("");
  const take = (type: string, ending: string) => async () => {
    const query = currentQuery();
    const detail = drawn.value?.scene.detail;
    if (query === undefined) {
      return;
    }
    try {
      const sent = topology.$get(
        { query: { ...query, ...(detail === "subnets" && { detail }) } },
        { headers: { Accept: type } },
      );
      save(await readText(sent), type, ending);
      failure.value = "";
    } catch (error) {
      if (!(error instanceof Problem)) {
        throw error;
      }
      failure.value =
        error.code === "topology_too_large"
          ? "The map is too large for this format. Choose one network or subnet."
          : error.message;
    }
  };
  return (
    <>
      <button
        type="button"
        popovertarget="export"
        onClick={(event) => {
          const { bottom, left } = event.currentTarget.getBoundingClientRect();
          const menu = document.getElementById("export");
          menu?.style.setProperty("top", `${bottom + 4}px`);
          menu?.style.setProperty("left", `${Math.max(8, Math.min(left, innerWidth - 288))}px`);
        }}
      >
        Export
      </button>
      <div id="export" popover="auto">
        <p class="soft">Save the map as a file:</p>
        <div class="buttons">
          {texts.map(({ name, type, ending }) => (
            <button key={name} type="button" onClick={take(type, ending)}>
              {name}
            </button>
          ))}
          {draw && (
            <button type="button" onClick={() => save(draw(), "image/svg+xml", "svg")}>
              SVG
            </button>
          )}
        </div>
        <p class="error" role="alert">
          {failure.value}
        </p>
      </div>
    </>
  );
}

/** The controls above the map, and above the table. */
export function Toolbar({
  draw,
  children,
}: {
  /** Returns the map as an SVG file. */
  draw?: (() => string) | undefined;
  children?: ComponentChildren;
}) {
  const { view, layer, host, depth, subnet, vlan } = place.value;
  const subnetName = drawn.value?.scene.subnets.find(({ node }) => node.record.id === subnet);
  return (
    <div class="tools">
      <fieldset class="segments" aria-label="Layer">
        {layers.map((one) => (
          <Link
            key={one.name}
            to={{ layer: one.layer, subnet: undefined, vlan: undefined }}
            aria-current={one.layer === layer ? "true" : undefined}
          >
            {one.name}
          </Link>
        ))}
      </fieldset>
      <fieldset class="segments" aria-label="Form">
        <Link to={{ view: "map" }} aria-current={view === "map" ? "true" : undefined}>
          Drawing
        </Link>
        <Link to={{ view: "table" }} aria-current={view === "table" ? "true" : undefined}>
          As table
        </Link>
      </fieldset>
      {host && (
        <select
          aria-label="Part of the map"
          value={depth ?? ""}
          onChange={(event) => go({ depth: Number(event.currentTarget.value) || undefined })}
        >
          <option value="">Whole map</option>
          {depths.map((one) => (
            <option key={one} value={one}>
              {one === 1 ? "1 edge around the host" : `${one} edges around the host`}
            </option>
          ))}
        </select>
      )}
      {layer === "l2" && (
        <label class="vlan">
          VLAN{" "}
          <input
            type="number"
            min={1}
            max={maximumVlan}
            placeholder="all"
            value={vlan ?? ""}
            onChange={({ currentTarget }) => {
              if (currentTarget.reportValidity()) {
                go({ vlan: Number(currentTarget.value) || undefined });
              }
            }}
          />
        </label>
      )}
      {subnet && (
        <span class="only">
          Only {subnetName?.node.label ?? "one subnet"}{" "}
          <Link to={{ subnet: undefined }}>Show all</Link>
        </span>
      )}
      <div class="ends">
        {children}
        <ExportMenu draw={draw} />
      </div>
    </div>
  );
}
