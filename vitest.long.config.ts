import { configOf } from "./vitest.config.ts";

export default configOf({ isLong: true });
