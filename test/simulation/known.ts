// What the store has told one process: how far it has read each stream, and which of its own appends it
// heard of only on a second try. After such a one others may have followed, so it has to read before it sends.

export interface Known {
  /** The stream is known up to this revision. */
  readonly upTo: (stream: string, revision: number) => void;
  readonly revisionOf: (stream: string) => number;
  /** An append has failed, as far as this process knows. */
  readonly failed: (event: string) => void;
  /** An append is confirmed. */
  readonly stored: (stream: string, event: string) => void;
  readonly read: (stream: string) => void;
  /** Its tail is not known since an append that was not confirmed at once. */
  readonly isUncertain: (stream: string) => boolean;
}

export function createKnown(): Known {
  const revisions = new Map<string, number>();
  const failed = new Set<string>();
  const uncertain = new Set<string>();
  return {
    upTo: (stream, revision) => {
      revisions.set(stream, Math.max(revision, revisions.get(stream) ?? -1));
    },
    revisionOf: (stream) => revisions.get(stream) ?? -1,
    failed: (event) => {
      failed.add(event);
    },
    stored: (stream, event) => {
      if (failed.has(event)) uncertain.add(stream);
      // Taken at the first try, at the revision that it names: what was in doubt before it was the end.
      else uncertain.delete(stream);
    },
    read: (stream) => {
      uncertain.delete(stream);
    },
    isUncertain: (stream) => uncertain.has(stream),
  };
}
