// How far the log of the server has been seen, and the newest event of the ledger that was. What an append
// has stored lies above all that was seen before it; a repeat does not.
import { type RecordedEvent } from '@action-ledger/event-store';

export type Seen = Pick<RecordedEvent, 'stream' | 'revision' | 'id' | 'position' | 'metadata'>;

export interface Sight {
  head(): number;
  /** The newest event of the ledger; undefined where none was seen. */
  newest(): Seen | undefined;
  see(event: Seen): void;
  /** Whoever has stored what lies there. */
  seeEnd(position: number): void;
}

export function createSight(): Sight {
  let head = 0;
  let newest: Seen | undefined;
  return {
    head: () => head,
    newest: () => newest,
    see: ({ stream, revision, id, position, metadata }) => {
      head = Math.max(head, position);
      if (position > (newest?.position ?? 0)) newest = { stream, revision, id, position, metadata };
    },
    seeEnd: (position) => {
      head = Math.max(head, position);
    },
  };
}
