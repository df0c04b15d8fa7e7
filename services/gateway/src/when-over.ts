// Whatever an answer holds is given back when the answer is over, however late it was taken: a client that
// left during a wait has closed the response already, and no event of it comes any more.
import { type ServerResponse } from 'node:http';

/** Calls `leave` when the response is sent or its client has gone, at once where that is past; it may be called twice. */
export function whenOver(raw: ServerResponse, leave: () => void): void {
  if (raw.destroyed || raw.closed || raw.writableFinished) {
    leave();
    return;
  }
  raw.once('close', leave);
  raw.once('finish', leave);
}
