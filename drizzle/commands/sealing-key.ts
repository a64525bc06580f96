import { encodeBase64 } from "hono/utils/encode";

const name = process.argv[2] ?? new Date().toISOString().slice(0, 10);
const key = crypto.getRandomValues(new Uint8Array(32));
console.log(`${name}:${encodeBase64(key.buffer)}`);
