/**
 * The error messages for a schema that also validates query parameters. A repeated query parameter
 * is an array.
 * @param rule the message for an invalid value
 */
export const once = (rule: string) => ({
  error: ({ input }: { input?: unknown }) =>
    input === undefined ? "is required" : Array.isArray(input) ? "must be given only once" : rule,
});
