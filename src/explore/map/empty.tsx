import { day } from "../dates.ts";
import { Link } from "../link.tsx";
import { networkName } from "../session.ts";
import { place } from "../state.ts";
import { current } from "./graph.ts";

/** States that the map is empty, or that a map of layer 2 has no connections. */
export function Nothing() {
  const { at, network, subnet, vlan, depth } = place.value;
  const map = current.loaded.value?.data;
  const hosts = map?.layer === "l2" ? map.counts.hosts : 0;
  const where = network === undefined ? "" : ` in ${networkName(network)}`;
  const isPart = (subnet ?? vlan ?? depth) !== undefined;
  const when = at === undefined ? "" : ` on ${day(at)}`;
  return (
    <div class="nothing">
      {hosts > 0 ? (
        <>
          <h2>
            {depth === undefined ? `No device${where}` : "No device around this host"}
            {vlan !== undefined && ` in VLAN ${vlan}`} {at === undefined ? "has" : "had"} reported
            neighbors by LLDP or CDP{when}.
          </h2>
          <p>
            {hosts === 1
              ? "1 host is known, but none of its connections."
              : `${hosts.toLocaleString("en")} hosts are known, but none of their connections.`}{" "}
            <a href="/docs/daemons">A daemon</a> reads the neighbors of devices by SNMP;{" "}
            <a href="/docs/discovery#create_host_import">an import</a> lists them in{" "}
            <code>interfaces[].neighbors</code>.
          </p>
        </>
      ) : (
        <h2>
          {isPart ? "Nothing of this part" : `No host and no subnet${where}`}
          {at === undefined ? " is known." : ` was known${when}.`}
        </h2>
      )}
      <ul>
        {isPart && (
          <li>
            <Link to={{ subnet: undefined, vlan: undefined, depth: undefined }}>
              Show the whole map
            </Link>
          </li>
        )}
        {at !== undefined && (
          <li>
            <Link to={{ at: undefined }}>Show it as of now</Link>
          </li>
        )}
        {network !== undefined && (
          <li>
            <Link to={{ network: undefined, subnet: undefined }}>Show all networks</Link>
          </li>
        )}
        {hosts > 0 ? (
          <li>
            <Link to={{ layer: undefined, vlan: undefined }}>Show layer 3</Link>
          </li>
        ) : (
          at === undefined &&
          !isPart && (
            <li>
              <Link to={{ view: "hosts" }}>How to begin</Link>
            </li>
          )
        )}
      </ul>
    </div>
  );
}
