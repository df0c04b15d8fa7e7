// The names that the brokers know things by: those of the ledger, with a prefix where several share them.

export interface Names {
  readonly topic: (topic: string) => string;
  /** The ledger's name of a topic of the brokers. */
  readonly plain: (topic: string) => string;
  readonly group: (group: string) => string;
  readonly publisher: (name: string) => string;
}

export function namesWith(prefix: string): Names {
  const prefixed = (name: string): string => `${prefix}${name}`;
  return {
    topic: prefixed,
    plain: (topic) => topic.slice(prefix.length),
    group: prefixed,
    publisher: prefixed,
  };
}

export function placeKey({
  topic,
  partition,
}: {
  readonly topic: string;
  readonly partition: number;
}): string {
  return `${topic}/${partition}`;
}
