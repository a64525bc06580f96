import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Host } from "../api.ts";
import { Link } from "../link.tsx";
import { Failure } from "../problems.tsx";
import { networkName } from "../session.ts";
import { place, restMs, settleMs } from "../state.ts";
import { Nothing } from "./empty.tsx";
import { comparedWith, marks } from "./marks.ts";
import { hostPages, liveId, pageSize, wanted } from "./pages.ts";

/** Rows above and below those in view, so that scrolling does not show gaps. */
const overscan = 6;
const phone = matchMedia("(max-width: 45rem)");

/** The most informative description of the host's system that is available. */
export const systemOf = ({ operating_system, manufacturer, model, sys_descr }: Host) =>
  operating_system ?? ([manufacturer, model].filter(Boolean).join(" ") || sys_descr || "");

const openServices = ({ services }: Host) => (services ?? []).filter(({ is_open }) => is_open);

const countOf = (amount: number, name: string) => `${amount} ${name}${amount === 1 ? "" : "s"}`;

function Row({
  host,
  index,
  total,
  height,
  isActive,
}: {
  host: Host | undefined;
  index: number;
  total: number;
  height: number;
  isActive: boolean;
}) {
  const style = { transform: `translateY(${index * height}px)`, height: `${height}px` };
  if (host === undefined) {
    return (
      <li class="row empty" style={style} aria-setsize={total} aria-posinset={index + 1}>
        <span />
      </li>
    );
  }
  const id = liveId(host);
  const [address, ...others] = host.ip_addresses ?? [];
  const services = openServices(host);
  const differs = marks.loaded.value?.data.hosts.has(id) ?? false;
  const isOpen = place.value.host === id;
  return (
    <li class="row" style={style} aria-setsize={total} aria-posinset={index + 1}>
      <Link
        to={{ host: id }}
        id={`host-${id}`}
        data-index={index}
        tabIndex={isActive ? 0 : -1}
        class={isOpen ? "open" : ""}
        aria-current={isOpen ? "true" : undefined}
      >
        <span class="name">
          {host.name}
          {host.is_stale && <small class="stale-host">not seen lately</small>}
          {differs && (
            <span class="differs">
              <i aria-hidden="true" />
              differs<span class="hidden"> from {comparedWith.value}</span>
            </span>
          )}
        </span>
        <span class="address">
          {address?.ip_address ?? "no address"}
          {others.length > 0 && <small> +{others.length}</small>}
        </span>
        <span class="system">{systemOf(host)}</span>
        <span class="network">{networkName(host.network_id)}</span>
        <span class="services">
          <span>{countOf(services.length, "service")}</span>
          <span class="names">{services.map(({ name }) => name).join(", ")}</span>
        </span>
      </Link>
    </li>
  );
}

/** The list of hosts, in which only the rows in view are rendered. */
export function HostList() {
  const box = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const visible = useSignal(innerHeight);
  const active = useSignal(0);
  const height = useSignal(phone.matches ? 60 : 44);
  const isFocusMoved = useRef(false);
  const { network, q } = place.value;
  const { problem } = hostPages;
  const loaded = hostPages.loaded.value?.data;
  const hasRows = loaded?.total !== 0 && problem.value?.code !== "history_expired";

  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      visible.value = entry?.contentRect.height ?? innerHeight;
      height.value = phone.matches ? 60 : 44;
    });
    if (box.current) {
      observer.observe(box.current);
    }
    return () => observer.disconnect();
  }, [hasRows]);

  // A list with other filters begins at its first host. The same list at another instant keeps its
  // position.
  useEffect(() => {
    active.value = 0;
    box.current?.scrollTo(0, 0);
  }, [network, q]);

  const first = Math.max(0, Math.floor(top.value / height.value) - overscan);
  const count = Math.ceil(visible.value / height.value) + 2 * overscan;

  useEffect(() => {
    const pages = {
      first: Math.floor(first / pageSize),
      last: Math.floor((first + count - 1) / pageSize),
    };
    if (pages.first !== wanted.value.first || pages.last !== wanted.value.last) {
      settleMs.value = restMs;
      wanted.value = pages;
    }
  }, [first, count]);

  const total = loaded?.total ?? 0;
  const hostAt = (index: number) =>
    loaded?.pages.get(Math.floor(index / pageSize))?.[index % pageSize];
  const last = Math.min(total, first + count);
  const indices = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index);
  // The row in the tab order is rendered even when it is out of view.
  const current = Math.min(active.value, total - 1);
  if (current >= 0 && !indices.includes(current)) {
    indices.push(current);
  }

  useLayoutEffect(() => {
    // A row that is not loaded yet gets the focus once it is.
    const focused = box.current?.querySelector<HTMLElement>(`[data-index="${current}"]`);
    if (isFocusMoved.current && focused) {
      isFocusMoved.current = false;
      focused.focus();
    }
  });

  const move = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(visible.value / height.value) - 1);
    const steps: { [key: string]: number } = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -total,
      End: total,
    };
    const step = steps[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    event.preventDefault();
    const next = Math.max(0, Math.min(total - 1, current + step));
    active.value = next;
    isFocusMoved.current = true;
    const list = box.current;
    if (list) {
      const [above, below] = [next * height.value, (next + 1) * height.value];
      if (above < list.scrollTop) {
        list.scrollTop = above;
      } else if (below > list.scrollTop + list.clientHeight) {
        list.scrollTop = below - list.clientHeight;
      }
      top.value = list.scrollTop;
    }
  };

  if (problem.value && (loaded === undefined || problem.value.code === "history_expired")) {
    return <Failure problem={problem.value} />;
  }
  return (
    <section class="hosts" aria-label="Hosts" aria-busy={hostPages.isLoading.value}>
      {loaded?.total === 0 ? (
        <Nothing />
      ) : (
        <div class="heads" aria-hidden="true">
          <span>Name</span>
          <span>Address</span>
          <span>System</span>
          <span>Network</span>
          <span>Listens</span>
        </div>
      )}
      {hasRows && (
        <div
          class="rows"
          ref={box}
          onScroll={(event) => {
            top.value = event.currentTarget.scrollTop;
          }}
        >
          {loaded === undefined ? (
            <ul class="loading" aria-label="Loading">
              {Array.from({ length: 12 }, (_, index) => (
                <li
                  key={index}
                  class="row empty"
                  style={{
                    transform: `translateY(${index * height.value}px)`,
                    height: `${height.value}px`,
                  }}
                >
                  <span />
                </li>
              ))}
            </ul>
          ) : (
            <ul
              style={{ height: `${total * height.value}px` }}
              onKeyDown={move}
              onFocusIn={(event) => {
                if (event.target instanceof HTMLElement && event.target.dataset["index"]) {
                  active.value = Number(event.target.dataset["index"]);
                }
              }}
            >
              {indices.map((index) => (
                <Row
                  key={index}
                  host={hostAt(index)}
                  index={index}
                  total={total}
                  height={height.value}
                  isActive={index === current}
                />
              ))}
            </ul>
          )}
        </div>
      )}
    </section>
  );
}
