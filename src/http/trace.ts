/** The location of an error, without its message. */
interface Trace {
  name: string;
  /** Stack frames, starting with the innermost. */
  frames: string[];
}

const maximumFrames = 10;

/** A V8 stack frame with at most 300 characters of names, paths and positions. */
const frame = /^ {4}at ([\w$.<>[\]#/:?=@+%() -]{1,300})$/;

/**
 * The name and the stack frames of an error, for the log. Messages can contain callers' data, SQL
 * or secrets, and a stack starts with the message. If the message cannot be located in the stack
 * and therefore cannot be removed, the stack is omitted.
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
    // Drops the rest of the message's last line.
    .slice(1)
    .flatMap((line) => frame.exec(line)?.[1] ?? [])
    .slice(0, maximumFrames);
