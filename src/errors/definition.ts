import * as z from "zod";

/** Text with a documented maximum length. The code that builds the text must respect it. */
export const textUpTo = (maxLength: number) => z.string().meta({ maxLength });

/** A single problem with a request. */
export const issueSchema = z
  .object({ path: textUpTo(100), message: textUpTo(256), code: textUpTo(64) })
  .meta({
    id: "Issue",
    description:
      "One thing that is wrong with a request. `path` is its location, such as `body.host_assignments[0].host_id` or `query.limit`; `message` describes it to people; `code` identifies it to programs.",
  });
export type Issue = z.output<typeof issueSchema>;

/**
 * Maximum number of issues in a response (API contract, section 6). Further issues are only
 * counted.
 */
export const maxIssues = 100;

const none = z.object({});

/** Defines one entry of the catalogue. */
export const define = <const Status extends number, Params extends z.ZodType>(entry: {
  status: Status;
  /** The meaning of the code and the remedy, for the documentation. */
  meaning: string;
  /** Built on first use, to keep Worker startup cheap. */
  params: () => Params;
  /** The sentence for callers: the facts and the remedy. Fewer than 1,000 characters. */
  message: (params: z.output<Params>) => string;
}) => {
  let params: Params | undefined;
  return {
    ...entry,
    get params() {
      params ??= entry.params();
      return params;
    },
  };
};

/** An entry without parameters, whose sentence is fixed. */
export const fixed = <const Status extends number>(status: Status, meaning: string) =>
  define({ status, meaning, params: () => none, message: () => meaning });
