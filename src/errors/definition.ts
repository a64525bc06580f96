import * as z from "zod";

/** Text whose longest form the document tells; what makes it sees that it is no longer. */
export const textUpTo = (maxLength: number) => z.string().meta({ maxLength });

/** One thing that is wrong with a request. */
export const issueSchema = z
  .object({ path: textUpTo(100), message: textUpTo(256), code: textUpTo(64) })
  .meta({
    id: "Issue",
    description:
      "One thing that is wrong with a request. `path` is where, such as `body.host_assignments[0].host_id` or `query.limit`; `message` is what, for people; `code` is what, for programs.",
  });
export type Issue = z.output<typeof issueSchema>;

/** So many issues are sent (API contract, section 6). The others are counted. */
export const maxIssues = 100;

/** No parameters. */
const none = z.object({});

/** One entry of the catalogue. */
export const define = <const Status extends number, Params extends z.ZodType>(entry: {
  /** The HTTP status. */
  status: Status;
  /** What the code means and what to do about it, for the documents. */
  meaning: string;
  /** Built when it is first asked for, and not at the start of the Worker. */
  params: () => Params;
  /** The sentence that a caller reads: the facts, and what to do. Below 1,000 characters. */
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

/** An entry whose sentence is always the same. */
export const fixed = <const Status extends number>(status: Status, meaning: string) =>
  define({ status, meaning, params: () => none, message: () => meaning });
