/** Where an error comes from, without anything that it says. */
interface Trace {
  name: string;
  /** Stack frames, the innermost first. */
  frames: string[];
}

const maximumFrames = 10;

/** A frame as V8 writes it, of at most 300 characters of names, paths and positions. */
const frame = /^ {4}at ([\w$.<>[\]#/:?=@+%() -]{1,300})$/;

/**
 * The name and the stack frames of an error, for the log. Messages can hold what callers sent, SQL
 * or secrets, and a stack begins with the message: a stack in which the message cannot be found, and
 * so not be cut off, is left out.
 */
export function traceOf(error: Error): Trace {
  const name = /^\w{1,64}$/.test(error.name) ? error.name : "Error";
  const stack = error.stack ?? "";
  const position = stack.indexOf(error.message);
  const frames = position < 0 ? [] : framesIn(stack.slice(position + error.message.length));
  return { name, frames };
}

const framesIn = (text: string): string[] =>
  text
    .split("\n")
    // What is left of the line on which the message ends.
    .slice(1)
    .flatMap((line) => frame.exec(line)?.[1] ?? [])
    .slice(0, maximumFrames);
