import { type Layout, overlaps } from "./layout.ts";
import { type Area, type Box, type Card, type Line, serviceHeight } from "./parts.ts";
import { hostOf, type Neighbor, type Place } from "./scene.ts";
import { truncate } from "./text.ts";

/** Everything other than its positions that determines how a layout looks. */
export interface Look {
  /** The part of the layout that is drawn. */
  area: Area;
  /** The hosts that are drawn. */
  cards: readonly Card[];
  /** True if boxes show counts instead of hosts. */
  isReduced: boolean;
  scale: number;
  /** The node of the open host. */
  selected: string | undefined;
  /** The node or box in the tab order. */
  active: string | undefined;
  differs: (node: Place["node"]) => boolean;
  comparedWith: string;
  /** The hosts that match the search; undefined if there is no search. */
  matches: ReadonlySet<string> | undefined;
  /** In layer 2, the neighbors of each node. */
  neighbors: ReadonlyMap<string, readonly Neighbor[]> | undefined;
}

const plural = (count: number, one: string) =>
  `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;

/** Maximum number of neighbors that are part of a node's name. */
const namedNeighbors = 3;

/** `eth0 to switch 1/3`, or the number of neighbors. */
const nameOfNeighbors = (neighbors: readonly Neighbor[]) =>
  neighbors.length > namedNeighbors
    ? [plural(neighbors.length, "neighbor")]
    : neighbors.map(({ port, other, otherPort }) =>
        `${port} to ${other.label} ${otherPort}`.trim(),
      );

/** Returns the texts that an unknown device announces, apart from its name. */
export const announced = ({ label, details }: Extract<Place["node"], { type: "Unknown" }>) =>
  [details.chassis_id.value, ...details.management_addresses, details.system_description].filter(
    (text) => text && text !== label,
  );

/**
 * Returns a node's label for screen readers, such as `nas, 192.168.1.10, 5 services, differs from
 * now`.
 */
function nameOf(node: Place["node"], look: Look): string {
  return [
    node.label,
    ...(node.type === "Unknown"
      ? ["unknown device", ...announced(node)]
      : [
          node.details.addresses.join(" and ") || "no address",
          plural(node.details.services, "service"),
        ]),
    ...(look.neighbors ? nameOfNeighbors(look.neighbors.get(node.id) ?? []) : []),
    ...(look.differs(node) ? [`differs from ${look.comparedWith}`] : []),
  ].join(", ");
}

const nameOfBox = ({ title, detail, hosts }: Box) =>
  [title, detail, plural(hosts, "host")].filter(Boolean).join(", ");

/** The second line of a card, in the longest form that fits. */
function detailOf({ node, address, further }: Place, width: number): string {
  if (node.type === "Unknown") {
    const longer = announced(node).map((text) => `unknown · ${text}`);
    return truncate("detail", width, ...longer, "unknown");
  }
  const { addresses, services } = node.details;
  const more = Math.max(addresses.length, further.length + 1) - 1;
  const first = `${address || "no address"}${more > 0 ? ` +${more}` : ""}`;
  return truncate(
    "detail",
    width,
    `${first} · ${plural(services, "service")}`,
    `${first} · ${services} svc`,
    first,
  );
}

const inset = 11;
/** The inset of texts in the shape of an unknown device, whose ends are round. */
const roundInset = 22;
const markWidth = 62;

function CardView({ card, look }: { card: Card; look: Look }) {
  const { x, y, width, height, place, id } = card;
  const { node } = place;
  const host = hostOf(node);
  const isSelected = look.selected === id;
  const isMarked = look.differs(node);
  const isDim = look.matches !== undefined && !look.matches.has(host ?? "");
  const left = host ? inset : roundInset;
  const inner = width - 2 * left;
  const classes = [
    host ? "host" : "host unknown",
    isMarked ? "marked" : "",
    isDim ? "dim" : "",
    isSelected ? "selected" : "",
  ];
  const soft = isDim ? "detail dim" : "detail";
  const more = place.services.length - place.rows;
  const rows = place.services.slice(0, more > 0 ? place.rows - 1 : place.rows);
  return (
    <>
      <rect
        id={host && `host-${host}`}
        class={classes.filter(Boolean).join(" ")}
        {...(host ? { role: "button", "aria-pressed": isSelected } : { role: "img" })}
        tabindex={look.active === id ? 0 : -1}
        aria-label={nameOf(node, look)}
        data-id={id}
        {...{ x, y, width, height }}
        rx={host ? 5 : height / 2}
      />
      <text class={isDim ? "name dim" : "name"} x={x + left} y={y + 21}>
        {truncate("name", inner - (isMarked ? markWidth : 0), node.label)}
      </text>
      <text class={soft} x={x + left} y={y + 40}>
        {detailOf(place, inner)}
      </text>
      {isMarked && (
        <text class="word" x={x + width - inset - 14} y={y + 20}>
          differs
        </text>
      )}
      {rows.map(({ id: service, label, details }, index) => (
        <text
          key={service}
          class={isDim ? "service dim" : details.is_open ? "service" : "service closed"}
          x={x + inset}
          y={y + 52 + (index + 0.5) * serviceHeight + 4}
        >
          {truncate(
            "detail",
            inner,
            // A version that repeats the name is shown alone.
            details.version?.startsWith(label)
              ? details.version
              : `${label} ${details.version ?? ""}`.trim(),
            label,
          )}
        </text>
      ))}
      {more > 0 && (
        <text
          class={isDim ? "service dim" : "service closed"}
          x={x + inset}
          y={y + 52 + (rows.length + 0.5) * serviceHeight + 4}
        >
          {`and ${more + 1} more`}
        </text>
      )}
    </>
  );
}

/** A place whose host is not there at the instant. */
function Vacancy({ card: { x, y, width, height, place } }: { card: Card }) {
  return (
    <>
      <rect class="vacancy" {...{ x, y, width, height }} rx={5} />
      <text class="absent" x={x + inset} y={y + 21}>
        {truncate("name", width - 2 * inset, place.node.label)}
      </text>
      <text class="absent detail" x={x + inset} y={y + 40}>
        {truncate(
          "detail",
          width - 2 * inset,
          [place.address, "not there"].filter(Boolean).join(" · "),
          "not there",
        )}
      </text>
    </>
  );
}

function BoxView({ box, look }: { box: Box; look: Look }) {
  const { x, y, width, height, kind, title, detail, note, hosts, id } = box;
  // Without hosts there is room for larger text, up to its size at full scale.
  const size = look.isReduced
    ? Math.max(1, Math.min(1 / look.scale, width / 170, (height - 8) / 64))
    : 1;
  const left = Math.min(13 * size, width / 12);
  const inner = (width - 2 * left) / size;
  const text = note || (look.isReduced ? plural(hosts, "host") : "");
  return (
    <>
      <rect
        class={`box ${kind}`}
        {...{ x, y, width, height }}
        rx={8}
        {...(look.isReduced && {
          role: "button",
          tabindex: look.active === id ? 0 : -1,
          "aria-label": nameOfBox(box),
          "data-id": id,
        })}
      />
      <g transform={`translate(${x + left} ${y + 4}) scale(${size})`}>
        {(look.isReduced || kind !== "leaves") && (
          <text class="title" y={19}>
            {truncate("title", inner, title)}
          </text>
        )}
        {detail && (
          <text class="detail" y={37}>
            {truncate("detail", inner, detail)}
          </text>
        )}
        {text && (
          <text class="note" y={detail ? 58 : 40}>
            {text}
          </text>
        )}
      </g>
    </>
  );
}

/** Abbreviates names of interfaces as Cisco's devices do: `Gi1/0/12`. */
const shortPort = (name: string) =>
  name.replaceAll(/\b([A-Z][a-z])[A-Za-z]*(?:hernet|GigE)(?=\d)/g, "$1");

/** The CSS classes of each type of line. */
const lineClasses: { [Each in Line["type"]]: string } = {
  Address: "line",
  RunsOn: "line runs-on",
  Link: "line",
  Adjacent: "line adjacent",
  Learned: "line learned",
};

const pathOf = (lines: readonly Line[]) => lines.map(({ path }) => path).join("");
const wholePathOf = (lines: readonly Line[]) =>
  lines.map(({ path, whole }) => whole ?? path).join("");

/** Maximum number of boxes that are drawn with their names. */
const namedBoxes = 250;

const outlineOf = ({ x, y, width, height }: Area) => `M${x} ${y}h${width}v${height}h${-width}z`;

/** The visible part of a map: boxes, lines and hosts, in that order. */
export function Drawing({ layout, look }: { layout: Layout; look: Look }) {
  const isVisible = (area: Area) => overlaps(area, look.area);
  const { cards } = look;
  const visible = layout.boxes.filter(isVisible);
  const areNamed = visible.length <= namedBoxes;
  const boxes = areNamed ? visible : visible.filter(({ id }) => id === look.active);
  const lines = layout.lines.filter(
    (line) => cards.length > 0 && isVisible(line) && !(look.isReduced && line.type === "RunsOn"),
  );
  const { selected } = look;
  const own = lines.filter(({ ends }) => selected !== undefined && ends.includes(selected));
  const dots = cards.filter(({ place }) => place.isPresent && look.differs(place.node));
  const heading = look.isReduced ? Math.max(1, Math.min(4, 1 / look.scale)) : 1;
  // Names that nobody can read are left out.
  const headings = heading * look.scale < 0.45 ? [] : layout.headings;
  return (
    <>
      {headings.map(({ x, y, text }) => (
        <text key={text} class="heading" transform={`translate(${x} ${y}) scale(${heading})`}>
          {text}
        </text>
      ))}
      {!areNamed && <path class="box subnet" d={visible.map(outlineOf).join("")} />}
      {boxes.map((box) => (
        <BoxView key={box.id} box={box} look={look} />
      ))}
      {[...Map.groupBy(lines, ({ type }) => lineClasses[type])].map(([name, of]) => (
        <path key={name} class={name} d={pathOf(of)} />
      ))}
      {own.length > 0 && <path class="line own" d={wholePathOf(own)} />}
      {!look.isReduced &&
        layout.labels.map(({ x, y, width, text }) =>
          isVisible({ x, y: y - 12, width, height: 16 }) ? (
            <text key={`${x} ${y}`} class="detail" x={x} y={y}>
              {truncate("detail", width, text, shortPort(text))}
            </text>
          ) : null,
        )}
      {cards.map((card) =>
        card.place.isPresent ? (
          <CardView key={card.place.key} card={card} look={look} />
        ) : (
          <Vacancy key={card.place.key} card={card} />
        ),
      )}
      <path
        class="dots"
        d={dots
          .map(({ x, y, width }) => `M${x + width - 20} ${y + 16}a5 5 0 1 0 10 0a5 5 0 1 0-10 0`)
          .join("")}
      />
    </>
  );
}
