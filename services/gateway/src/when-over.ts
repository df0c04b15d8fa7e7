// Whatever an answer holds is given back when the answer is over, however late it was taken: a client that
// left during a wait has closed the response already, and no event of it comes any more.
import { type ServerResponse } from 'node:http';

/** What is to be given back, by response: one pair of listeners serves all of it. */
const holding = new WeakMap<ServerResponse, (() => void)[]>();

/** Calls `leave` once when the response is sent or its client has gone, at once where that is past. */
export function whenOver(raw: ServerResponse, leave: () => void): void {
  if (raw.destroyed || raw.closed || raw.writableFinished) {
    leave();
    return;
  }
  const held = holding.get(raw);
  if (held !== undefined) {
    held.push(leave);
    return;
  }
  holding.set(raw, [leave]);
  raw.once('close', over);
  raw.once('finish', over);
}

function over(this: ServerResponse): void {
  const held = holding.get(this) ?? [];
  holding.delete(this);
  for (const leave of held) leave();
}
