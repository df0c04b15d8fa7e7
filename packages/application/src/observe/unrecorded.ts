// Requests whose calls went out without a record, so that the same request again is no second call. Only
// this process knows them: a restart forgets them. Those under way are all kept, of the others the latest.
import { canonicalJson } from '@action-ledger/domain';
import { type Answer } from '../answer/answer.ts';
import { createRecentMap } from '../record/recent-map.ts';

/** Undefined: it went on record, or nothing of it went out. */
type WentOut = Answer | undefined;

export interface Unrecorded {
  /** Of the same request: what became of it, or is becoming. */
  find(name: string): Promise<WentOut> | undefined;
  keep(name: string, request: Promise<WentOut>): void;
}

const answersMax = 10_000;
/** Characters of their results. */
const resultsMax = 16 * 1024 * 1024;

export function createUnrecorded(): Unrecorded {
  const underWay = new Map<string, Promise<WentOut>>();
  const over = createRecentMap<Promise<WentOut>>({ entriesMax: answersMax, sizeMax: resultsMax });
  return {
    find: (name) => underWay.get(name) ?? over.get(name),
    keep: (name, request) => {
      const known = request.catch(() => undefined);
      underWay.set(name, known);
      void known.then((answer) => {
        underWay.delete(name);
        if (answer !== undefined)
          over.set(name, known, canonicalJson(answer.result ?? null).length);
      });
    },
  };
}
