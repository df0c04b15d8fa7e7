// A whole ledger over the store: what it costs, and that what it records can be verified.
import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { verifyLedger } from '@action-ledger/application';
import { createLedger, defineTool, type Ledger } from '@action-ledger/client';
import { z } from 'zod';
import { openEventStoreDbEventStore } from './index.ts';
import { type OnDouble, onDouble, runtime } from '../test-support/on-double.ts';

const sha256 = (text: string): string => hash('sha256', text, 'base64url');

function payTool(sent: string[]) {
  return defineTool({
    name: 'pay',
    input: z.object({ invoice: z.string() }),
    guarantee: 'idempotent',
    keyWindow: '24h',
    execute: ({ arguments: { invoice }, beforeSend }) => {
      beforeSend();
      sent.push(invoice);
      return { paid: invoice };
    },
  });
}

function openLedger({ store }: Pick<OnDouble, 'store'>, sent: string[]): Promise<Ledger> {
  return createLedger({ store, runtime, tools: [payTool(sent)], sweepMs: 3_600_000 });
}

function pay(ledger: Ledger, invoice: string): ReturnType<Ledger['propose']> {
  const origin = { run: 'r' };
  return ledger.propose({
    tool: 'pay',
    arguments: { invoice },
    tenant: 'default',
    origin,
    waitMs: 60_000,
  });
}

describe('a ledger over EventStoreDB', () => {
  it(
    'appends twice for an action, reads nothing for it, and nothing again for a repeat',
    onDouble(async ({ store, double }) => {
      const sent: string[] = [];
      const ledger = await openLedger({ store }, sent);
      await pay(ledger, 'first');
      const before = double.counts();
      for (const invoice of ['a', 'b', 'c'])
        expect(await pay(ledger, invoice)).toMatchObject({ state: 'succeeded' });
      const after = double.counts();
      expect(after.appends - before.appends).toBe(6);
      expect(after.reads - before.reads).toBe(0);
      expect(await pay(ledger, 'b')).toMatchObject({ state: 'succeeded' });
      expect(double.counts().appends).toBe(after.appends);
      expect(sent).toEqual(['first', 'a', 'b', 'c']);
      await ledger.close();
    }),
  );

  it(
    'FW14 sends once where the reply to an append was lost, and answers a repeat from another process',
    onDouble(async ({ store, double }) => {
      const sent: string[] = [];
      const ledger = await openLedger({ store }, sent);
      double.faults.onAppend({ kind: 'broken after' });
      expect(await pay(ledger, 'a')).toMatchObject({ state: 'succeeded' });
      await ledger.close();
      const again = await openEventStoreDbEventStore({
        connectionString: double.connectionString,
        runtime,
      });
      const other = await openLedger({ store: again }, sent);
      expect(await pay(other, 'a')).toMatchObject({ state: 'succeeded' });
      expect(sent).toEqual(['a']);
      expect((await verifyLedger(again, { sha256 })).brokenInvariants).toEqual([]);
      await other.close();
    }),
  );

  it(
    'FW25 sends nothing over a server that was put back while it runs, and answers what it knows',
    onDouble(async ({ store, double }) => {
      const sent: string[] = [];
      const ledger = await openLedger({ store }, sent);
      await pay(ledger, 'a');
      const kept = double.recordCount();
      await pay(ledger, 'b');
      double.down();
      double.loseLast(double.recordCount() - kept);
      await double.up();
      const met = await ledger.propose({
        tool: 'pay',
        arguments: { invoice: 'c' },
        tenant: 'default',
        origin: { run: 'r' },
        waitMs: 0,
      });
      expect(['in-progress', 'checking']).toContain(met.word);
      expect(store.condition()).toMatchObject({ kind: 'recovering' });
      expect(await pay(ledger, 'd')).toMatchObject({ code: 'ledger.recovering' });
      expect(await pay(ledger, 'a')).toMatchObject({ state: 'succeeded', repeat: true });
      expect(sent).toEqual(['a', 'b']);
      await ledger.close();
    }),
  );
});
