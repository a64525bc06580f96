import { useEffect, useRef } from "preact/hooks";
import { trouble } from "./api.ts";
import { Changes } from "./changes/changes.tsx";
import { Compare } from "./changes/compare.tsx";
import { closeHost, HostPanel } from "./hosts/host.tsx";
import { HostList } from "./hosts/list.tsx";
import { Link } from "./link.tsx";
import { isMap } from "./map/graph.ts";
import { MapView } from "./map/map.tsx";
import { MapTable } from "./map/table.tsx";
import { Trouble } from "./problems.tsx";
import { caller, networkList, session, signOut } from "./session.ts";
import { SignIn } from "./sign-in.tsx";
import { announcement, go, place } from "./state.ts";
import { TimeBar } from "./time/bar.tsx";

function Find() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const find = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        field.current?.focus();
        field.current?.select();
      }
    };
    addEventListener("keydown", find);
    return () => removeEventListener("keydown", find);
  }, []);
  return (
    <search class="find">
      <input
        ref={field}
        id="find"
        type="search"
        aria-label="Find a host"
        aria-keyshortcuts="Control+K"
        placeholder="Find a host, address, MAC, port or service"
        maxLength={200}
        autocomplete="off"
        spellcheck={false}
        value={place.value.q ?? ""}
        onInput={(event) =>
          go(
            {
              q: event.currentTarget.value.trim() || undefined,
              view: isMap.value ? place.value.view : "hosts",
            },
            "move",
          )
        }
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") {
            event.preventDefault();
            document
              .querySelector<HTMLElement>(".rows a[tabindex='0'], .map svg [tabindex='0']")
              ?.focus();
          }
        }}
      />
      <span class="key" aria-hidden="true">
        Ctrl K
      </span>
    </search>
  );
}

function Account() {
  const signedIn = caller.loaded.value?.data;
  if (session.value === undefined || signedIn === undefined) {
    return <div class="account" />;
  }
  const { api_key, organization } = signedIn;
  const reached = api_key.network_ids?.length;
  return (
    <div class="account">
      <span class="who">
        {organization.name} · {api_key.permissions}
        {reached !== undefined && ` · ${reached} ${reached === 1 ? "network" : "networks"}`}
      </span>
      <button type="button" class="plain" onClick={signOut}>
        Sign out
      </button>
    </div>
  );
}

function Header() {
  const { view, network } = place.value;
  const isHosts = view === "hosts";
  return (
    <header class="bar">
      <h1>
        <a href="/" title="Network Inventory API">
          <img src="/docs/icon.svg" alt="" width="20" height="20" />
        </a>
        <span>Explore</span>
      </h1>
      <nav aria-label="Views">
        <Link to={{ view: "hosts" }} aria-current={isHosts ? "page" : undefined}>
          Hosts
        </Link>
        <Link to={{ view: "map" }} aria-current={isMap.value ? "page" : undefined}>
          Map
        </Link>
        <Link
          to={{ view: place.value.with === undefined ? "changes" : "compare" }}
          aria-current={view === "changes" || view === "compare" ? "page" : undefined}
        >
          Changes
        </Link>
      </nav>
      <Find />
      <select
        aria-label="Network"
        value={network ?? ""}
        onChange={(event) =>
          go({ network: event.currentTarget.value || undefined, subnet: undefined })
        }
      >
        <option value="">All networks</option>
        {networkList.loaded.value?.data.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <Account />
    </header>
  );
}

const views = {
  hosts: HostList,
  map: MapView,
  table: MapTable,
  changes: Changes,
  compare: Compare,
} as const;

export function Shell() {
  const { view, host } = place.value;
  useEffect(() => {
    const close = (event: KeyboardEvent) => {
      const { target } = event;
      const isTyping =
        target instanceof HTMLInputElement && target.type !== "range" && target.value;
      if (
        event.key === "Escape" &&
        place.value.host &&
        !isTyping &&
        !document.querySelector("dialog[open]")
      ) {
        event.preventDefault();
        closeHost();
      }
    };
    addEventListener("keydown", close);
    return () => removeEventListener("keydown", close);
  }, []);
  const View = views[view];
  return (
    <div class={`shell ${host ? "with-host" : ""} ${trouble.value ? "stale" : ""}`}>
      <Header />
      <Trouble />
      <main aria-label={view === "hosts" ? "Hosts" : isMap.value ? "Map" : "Changes"}>
        <div class="view">
          <View />
        </div>
        {host && <HostPanel id={host} />}
      </main>
      <TimeBar />
      <p class="hidden" role="status">
        {announcement.value}
      </p>
      <SignIn />
    </div>
  );
}
