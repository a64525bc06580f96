import { day } from "../dates.ts";
import { Link } from "../link.tsx";
import { networkName } from "../session.ts";
import { place } from "../state.ts";

/** States that the map is empty, and links to other views. */
export function Nothing() {
  const { at, network, subnet, depth } = place.value;
  const where = network === undefined ? "" : ` in ${networkName(network)}`;
  const isPart = subnet !== undefined || depth !== undefined;
  return (
    <div class="nothing">
      <h2>
        {isPart ? "Nothing of this part" : `No host and no subnet${where}`}
        {at === undefined ? " is known." : ` was known on ${day(at)}.`}
      </h2>
      <ul>
        {isPart && (
          <li>
            <Link to={{ subnet: undefined, depth: undefined }}>Show the whole map</Link>
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
        {at === undefined && !isPart && (
          <li>
            <Link to={{ view: "hosts" }}>How to begin</Link>
          </li>
        )}
      </ul>
    </div>
  );
}
