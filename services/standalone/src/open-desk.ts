// A desk for one question, where no process has the file: what is said goes on record, and a ledger that
// is opened later acts on it.
import { hash } from 'node:crypto';
import { createKeyRing } from '@action-ledger/access';
import { createLedger } from '@action-ledger/client';
import { type Logger } from '@action-ledger/gateway';
import { type Runtime } from '@action-ledger/runtime';
import { createToolSet } from '@action-ledger/tools';
import { createDesk, type Desk } from './desk.ts';

export interface OpenDeskOptions {
  readonly path: string;
  readonly runtime: Runtime;
}

/** @throws StoreFault `store.held` where a process has the file: ask that one */
export async function openDesk({ path, runtime }: OpenDeskOptions): Promise<Desk> {
  const ledger = await createLedger({ path, tools: [], runtime, drives: false });
  const { store } = ledger;
  const sha256 = (text: string): string => hash('sha256', text, 'base64url');
  const clock = { nowMs: () => runtime.clock.wallMs() };
  const keys = createKeyRing({ store, sha256, clock, runtime });
  const tools = createToolSet([]);
  const desk = createDesk({ ledger, tools, keys, feed: store, runtime, logger: silent });
  return {
    answer: (asked) => desk.answer(asked),
    close: async () => {
      await desk.close();
      await ledger.close();
    },
  };
}

const silent: Logger = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
