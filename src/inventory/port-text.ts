import * as z from "zod";
import { once } from "../http/input/once.ts";

/** A port as a filter names it: `443`, or `161/Udp`. A null protocol is either. */
export const portText = z
  .string(once("must be a port such as 443 or 161/Udp"))
  .regex(/^[1-9]\d{0,4}(\/(Tcp|Udp))?$/, { error: "must be a port such as 443 or 161/Udp" })
  .transform((text) => {
    const [number, protocol = null] = text.split("/");
    return { number: Number(number), protocol };
  })
  .refine(({ number }) => number <= 65_535, { error: "must be a port from 1 to 65535" })
  .meta({ input: { maxLength: 9 } });
