// What belongs to the process that has the file, and is not asked over HTTP: refused by name, so that a
// program that is moved to another process hears of it where it asks.
import { notRemote } from './names-by-key.ts';

const reasons = {
  /** The store of the ledger itself. */
  store:
    'The store is open in the process of the ledger alone; `events` reads the record of an action.',
  openActions:
    'What is open is looked after where the ledger runs; `list` with a `status` shows it.',
  callers:
    'It is the door that programs in other processes come in by; over HTTP they ask for their work.',
  ownerOfExternalId: 'Ask with `report`, or list the actions of the tool.',
  gauges: 'What a ledger counts it serves as metrics: `action-ledger start --metrics`.',
  observes: 'What a call of a tool would be, and its guarantee, is told by `explain`.',
  sweep: 'The ledger sweeps by itself, where it runs.',
} as const;

export interface NotRemote {
  /** @throws LedgerError `ledger.not-remote` */
  readonly store: never;
  /** @throws LedgerError `ledger.not-remote` */
  readonly callers: never;
  /** @throws LedgerError `ledger.not-remote` */
  openActions(): never;
  /** @throws LedgerError `ledger.not-remote` */
  ownerOfExternalId(): never;
  /** @throws LedgerError `ledger.not-remote` */
  gauges(): never;
  /** @throws LedgerError `ledger.not-remote` */
  observes(): never;
  /** @throws LedgerError `ledger.not-remote` */
  sweep(): never;
}

function refuse(name: keyof NotRemote): never {
  throw notRemote(`\`${name}\` is not asked over HTTP. ${reasons[name]}`);
}

/** Members that nothing lists: a program that copies or prints the ledger does not meet them. */
export function addNotRemote<Face extends object>(face: Face): Face & NotRemote {
  for (const name of Object.keys(reasons) as readonly (keyof NotRemote)[])
    Object.defineProperty(
      face,
      name,
      name === 'store' || name === 'callers'
        ? { get: () => refuse(name) }
        : { value: () => refuse(name) },
    );
  return face as Face & NotRemote;
}
