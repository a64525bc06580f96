import { filterPlaces } from "../../helpers/place.ts";

/** Every place where a request for VLANs can contain an id. */
export const places = filterPlaces("vlans", { network_id: "networks" });
