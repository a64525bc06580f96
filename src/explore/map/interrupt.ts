import { selection } from "d3-selection";

// The bundle has this file in place of d3-transition, which d3-zoom imports only to end
// transitions: the page has none.

export const interrupt = (): void => undefined;

Object.assign(selection.prototype, {
  interrupt<T>(this: T): T {
    return this;
  },
});
