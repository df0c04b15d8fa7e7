// Records of a ledger in memory, encoded and read back: nothing is lost, and the chain can be checked from them.
import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLedger, defineTool, inDoubt } from '@action-ledger/client';
import { foldAction } from '@action-ledger/codec';
import {
  type Action,
  actionOfStream,
  actionStatuses,
  canonicalJson,
  findChainBreak,
  type JsonObject,
  newAction,
} from '@action-ledger/domain';
import { createMemoryEventStore, type RecordedEvent } from '@action-ledger/event-store';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { z } from 'zod';
import { createDecoders, encodeProposal, encodersAsAvro } from './index.ts';
import { readingTypes } from './newest.ts';
import { frame } from './wire.ts';

const sha256 = (text: string): string => hash('sha256', text, 'base64url');
const encode = encodersAsAvro();
const decode = createDecoders();

const pay = defineTool({
  name: 'pay',
  input: z.object({ invoice: z.string(), pin: z.string().optional() }),
  guarantee: 'manual',
  secret: ['pin'],
  execute: ({ arguments: { invoice }, beforeSend }) => {
    beforeSend();
    return invoice === 'lost' ? inDoubt('no answer') : { paid: `“${invoice}” 💶` };
  },
});

const store = createMemoryEventStore();
const runtime = createVirtualRuntime();
let events: readonly RecordedEvent[] = [];
let close = async (): Promise<void> => undefined;

beforeAll(async () => {
  const ledger = await createLedger({ store, runtime, tools: { pay } });
  close = () => ledger.close();
  for (const args of [{ invoice: 'i-1' }, { invoice: 'lost' }, { invoice: 'i-2', pin: '4711' }]) {
    const call = ledger.tools.pay.call(args, { run: 'r-1', turn: '1', call: args.invoice });
    await runtime.settle();
    await call;
  }
  events = await store.readAll({ after: 0, max: 1_000 });
});
afterAll(() => close());

const streamsOf = (some: readonly RecordedEvent[]): readonly string[] => [
  ...new Set(some.map(({ stream }) => stream).filter((each) => actionOfStream(each) !== undefined)),
];

function states(): readonly Action[] {
  return streamsOf(events).map((stream) => {
    const own = events.filter((event) => event.stream === stream);
    const found = foldAction(sha256, stream, own);
    if (found.kind !== 'folded') throw new Error(found.reason);
    return found.action;
  });
}

describe('an event', () => {
  it('comes back with its texts byte for byte, so that a reader can check the chain', () => {
    for (const stream of streamsOf(events)) {
      const own = events.filter((event) => event.stream === stream);
      const read = own.map((event) => decode.event(encode.event(event, 'acme')));
      const texts = read.map(({ eventId: id, type, revision, payload = '', metadata = '' }) => ({
        id,
        type,
        revision: Number(revision),
        data: payload,
        metadata,
      }));
      expect(texts.length).toBeGreaterThan(2);
      expect(findChainBreak(sha256, stream, texts)).toBeUndefined();
      expect(read.map(({ position }) => Number(position))).toEqual(own.map((e) => e.position));
      expect(read[0]).toMatchObject({
        stream,
        actionId: actionOfStream(stream),
        tenant: 'acme',
        format: 1,
        occurredAt: (JSON.parse(own[0]?.metadata ?? '') as { at: number }).at,
      });
    }
  });

  it('tells of what stays in the store its place alone', () => {
    const key = { ...(events[0] as RecordedEvent), stream: 'keys', type: 'KeyCreated' };
    const read = decode.event(encode.placeOnly(key));
    expect(read).toMatchObject({
      stream: 'keys',
      type: 'KeyCreated',
      occurredAt: expect.any(Number),
    });
    expect(
      Object.keys(read).filter((name) => /payload|metadata|actionId|tenant/.test(name)),
    ).toEqual([]);
  });

  it('has a position that no number of JavaScript can hold', () => {
    const fields = readingTypes.event.fromBuffer(
      Buffer.from(encode.event(events[0] as RecordedEvent)).subarray(5),
    ) as object;
    const position = 2n ** 62n + 1n;
    const written = frame(1, readingTypes.event.toBuffer({ ...fields, position }));
    expect(decode.event(written).position).toBe(position);
  });
});

describe('a state', () => {
  it('is told whole, and by members that a sink can ask for', () => {
    const [done, lost] = states();
    const read = states().map((state) => decode.state(encode.state(state)));
    expect(read.map(({ state }) => state)).toEqual(
      states().map((state) => canonicalJson(state as unknown as JsonObject)),
    );
    expect(read[0]).toMatchObject({
      actionId: done?.id,
      tool: 'pay',
      status: 'succeeded',
      effect: 'made',
      revision: BigInt(done?.revision ?? -1),
    });
    expect(read[1]).toMatchObject({ actionId: lost?.id, status: 'unknown', effect: 'in_doubt' });
  });

  it('holds no secret, and nothing of one that was not in the stream', () => {
    for (const state of states())
      expect(Buffer.from(encode.state(state)).includes('4711')).toBe(false);
    for (const event of events)
      expect(Buffer.from(encode.event(event)).includes('4711')).toBe(false);
  });

  it('can say every status that there is', () => {
    for (const status of actionStatuses)
      expect(decode.state(encode.state({ ...newAction('a.0'), status })).status).toBe(status);
  });

  it.each([
    ['none', {}],
    ['made', { outcome: { result: 1, at: 7 } }],
    ['undone', { outcome: { result: 1, at: 7 }, undoneBy: 'b.0' }],
    ['undone', { outcome: { result: 1, at: 7 }, status: 'compensated' }],
    ['in_doubt', { attempts: [{ attempt: 1, state: 'in doubt' }], status: 'failed' }],
  ] as const)('says of its effect: %s', (effect, facts) => {
    const state = { ...newAction('a.0'), ...facts } as unknown as Action;
    expect(decode.state(encode.state(state)).effect).toBe(effect);
  });
});

describe('a proposal', () => {
  const proposal = {
    proposalId: 'p-1',
    tenant: 'acme',
    tool: 'pay',
    arguments: { invoice: 'i-1', lines: [{ cents: 5 }, null] },
    run: 'r-1',
    key: 'k-1',
  };

  it('comes back as it was', () => {
    expect(decode.proposal(encodeProposal(proposal))).toEqual({ kind: 'proposal', proposal });
  });

  it.each([
    ['{"a":1,"a":2}', 'json.duplicate-member'],
    ['{"cents":9007199254740993}', 'json.integer-unsafe'],
    ['{"a":', 'json.truncated'],
    ['[1]', 'request.invalid'],
  ])('is unreadable where its arguments are no strict JSON object: %s', (text, code) => {
    const fields = { ...proposal, by: null, conversation: null, turn: null, arguments: text };
    const value = frame(3, readingTypes.proposal.toBuffer(fields));
    expect(decode.proposal(value)).toMatchObject({ kind: 'unreadable', code });
  });

  it('is unreadable where it is no such record, or lacks what every proposal has', () => {
    const cut = encodeProposal(proposal).subarray(0, 20);
    expect(decode.proposal(cut)).toMatchObject({ kind: 'unreadable', code: 'avro.truncated' });
    const json = Buffer.from(JSON.stringify(proposal));
    expect(decode.proposal(json)).toMatchObject({ kind: 'unreadable', code: 'avro.magic-byte' });
    const unnamed = encodeProposal({ ...proposal, proposalId: '' });
    expect(decode.proposal(unnamed)).toMatchObject({
      kind: 'unreadable',
      code: 'request.invalid',
      reason: expect.stringContaining('/proposalId'),
    });
  });
});
