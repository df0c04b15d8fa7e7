// What can be made to go wrong, call by call: a script that a test writes. Each fault is met once, by
// the first call it fits.

import { type status } from '@grpc/grpc-js';

export type AppendFault =
  /** Nothing is stored, and nobody answers. */
  | { readonly kind: 'request lost' }
  /** Decided upon only when the promise resolves, whether or not the client still waits. */
  | { readonly kind: 'request late'; readonly until: Promise<unknown> }
  /** Stored, and nobody answers. So does a server with a repeat that is not replicated yet. */
  | { readonly kind: 'reply lost' }
  | { readonly kind: 'reply late'; readonly until: Promise<unknown> }
  /** Stored, and the client hears that the server is unavailable. */
  | { readonly kind: 'broken after' }
  /** Not stored, and the client hears the same. */
  | { readonly kind: 'broken before' }
  /** Stored, and the client hears of a wrong expected version, with senseless fields. */
  | { readonly kind: 'wrong version told' }
  /** Not stored: the leader is elsewhere. */
  | { readonly kind: 'not leader'; readonly host: string; readonly port: number }
  /** Not stored: the client hears this code of gRPC. */
  | { readonly kind: 'status'; readonly code: status };

export type ReadFault =
  | { readonly kind: 'never answered' }
  /** Ends with UNAVAILABLE after so many events. */
  | { readonly kind: 'broken after'; readonly events: number };

export interface AppendCall {
  readonly stream: string;
  readonly ids: readonly string[];
}

export interface ReadCall {
  /** `$all`, or the name of a stream. */
  readonly stream: string;
  readonly isSubscription: boolean;
}

export interface Faults {
  onAppend(fault: AppendFault, where?: (call: AppendCall) => boolean): void;
  onRead(fault: ReadFault, where?: (call: ReadCall) => boolean): void;
  takeAppend(call: AppendCall): AppendFault | undefined;
  takeRead(call: ReadCall): ReadFault | undefined;
  /** Those that were not met. */
  pending(): number;
}

export function createFaults(): Faults {
  const appends = createLines<AppendCall, AppendFault>();
  const reads = createLines<ReadCall, ReadFault>();
  return {
    onAppend: appends.add,
    onRead: reads.add,
    takeAppend: appends.take,
    takeRead: reads.take,
    pending: () => appends.count() + reads.count(),
  };
}

interface Lines<Call, Fault> {
  readonly add: (fault: Fault, where?: (call: Call) => boolean) => void;
  readonly take: (call: Call) => Fault | undefined;
  readonly count: () => number;
}

function createLines<Call, Fault>(): Lines<Call, Fault> {
  const lines: { readonly fault: Fault; readonly where: (call: Call) => boolean }[] = [];
  return {
    add: (fault, where = () => true) => {
      lines.push({ fault, where });
    },
    take: (call) => {
      const index = lines.findIndex(({ where }) => where(call));
      return index < 0 ? undefined : lines.splice(index, 1)[0]?.fault;
    },
    count: () => lines.length,
  };
}
