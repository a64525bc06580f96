/**
 * The message of a schema that also reads query parameters, where a repeated one is an array.
 * @param rule what the value must be
 */
export const once = (rule: string) => ({
  error: ({ input }: { input?: unknown }) =>
    input === undefined ? "is required" : Array.isArray(input) ? "must be given only once" : rule,
});
