import type { AnchorHTMLAttributes } from "preact";
import { go, hrefOf, type Place } from "./state.ts";

/**
 * A link to another state of the page. Clicks with a modifier key or another mouse button behave as
 * they do for any other link.
 */
export function Link({
  to,
  children,
  ...rest
}: { to: Partial<Place> } & Omit<
  AnchorHTMLAttributes<HTMLAnchorElement>,
  "href" | "onClick" | "role"
>) {
  return (
    <a
      {...rest}
      href={hrefOf(to)}
      onClick={(event) => {
        if (!event.metaKey && !event.ctrlKey && !event.shiftKey && event.button === 0) {
          event.preventDefault();
          go(to);
        }
      }}
    >
      {children}
    </a>
  );
}
