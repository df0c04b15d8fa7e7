// Proposals that platforms publish become actions as over HTTP, once each; what can never be one is put
// aside with its reason, and holds up nothing.
import { describe, expect, it } from '@jest/globals';
import { amongProcesses } from '@action-ledger/application';
import { createDecoders, encodeProposal } from '@action-ledger/avro';
import { createExecutor } from '@action-ledger/executor';
import { actionTopics } from '@action-ledger/event-log';
import { callerDeclaration, createToolSet, defineTool, observedTool } from '@action-ledger/tools';
import { z } from 'zod';
import {
  actions,
  deadLetters,
  intakeOf,
  invoices,
  lagOf,
  payTool,
  publish,
  putAside,
} from './intake-world.ts';
import { inServices, minute, second, type ServicesWorld } from './world.ts';

function countReads({ store }: ServicesWorld, onRead: () => void): ServicesWorld['store'] {
  return {
    ...store,
    readStream: (...asked) => {
      onRead();
      return store.readStream(...asked);
    },
  };
}

const three = [{ invoice: 'i-1' }, { invoice: 'i-2' }, { invoice: 'i-3' }];

describe('a proposal by the log', () => {
  it('is recorded with its id as its call, and carried out by who has that duty', () => {
    const sent: string[] = [];
    return inServices({ tools: [payTool(sent)] }, async (world) => {
      let reads = 0;
      const store = countReads(world, () => (reads += 1));
      await world.run(intakeOf(world, {}, { store, crew: amongProcesses }));
      reads = 0;
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      await publish(world, { record: { headers: { traceparent } } });
      await world.runtime.settle();
      const [planned] = await actions(world);
      expect(planned).toMatchObject({
        types: ['ActionPlanned'],
        planned: {
          ...{ tenant: 'acme', tool: 'pay', by: 'planner', arguments: { invoice: 'i-1' } },
          call: { run: 'run-1', turn: '1', call: 'p-i-1' },
          trace: { traceparent },
        },
      });
      expect(await lagOf(world)).toBe(0);
      expect(reads).toBe(0);
      await world.run(createExecutor(world.depsOf('executor')));
      await world.runtime.advance(second);
      expect(sent).toEqual(['i-1']);
      expect(await putAside(world)).toEqual([]);
    });
  });

  it('is the same in Avro', () =>
    inServices({ tools: [payTool()] }, async (world) => {
      await world.run(intakeOf(world, { decode: createDecoders().proposal }));
      const proposal = {
        ...{ proposalId: 'p-1', tenant: 'acme', tool: 'pay', run: 'run-1' },
        arguments: { invoice: 'i-1' },
      };
      const cut = encodeProposal(proposal).subarray(0, 20);
      await publish(world, { record: { value: cut } });
      await publish(world, { record: { value: encodeProposal(proposal) } });
      await world.runtime.settle();
      expect(await invoices(world)).toEqual(['i-1']);
      expect(await putAside(world)).toEqual([expect.stringMatching(/^avro\.truncated: /)]);
    }));

  it('holds no partition while it is carried out, also where the core that sends is the same', () => {
    const sent: string[] = [];
    return inServices({ tools: [payTool(sent)], partitions: 1 }, async (world) => {
      const core = await world.openCaller();
      await core.begin('send');
      await world.run(intakeOf(world, { core: { core } }));
      await publish(world, { invoice: 'slow' }, { invoice: 'i-2' });
      await world.runtime.settle();
      expect(sent).toEqual(['slow', 'i-2']);
      expect(await lagOf(world)).toBe(0);
    });
  });

  it('F115 published again, and the topic read again from its start → no second action, no second effect', () => {
    const sent: string[] = [];
    return inServices({ tools: [payTool(sent)] }, async (world) => {
      await world.run(createExecutor(world.depsOf('executor')));
      const first = await world.run(intakeOf(world));
      await publish(world, ...three, ...three);
      await world.runtime.advance(second);
      await first.stop();
      const group = 'intake';
      await world.log.reset({ group, topics: [actionTopics.proposals], to: 'start' });
      const before = world.store.events().length;
      await world.run(intakeOf(world, {}, {}, 'intake-2'));
      await world.runtime.advance(minute);
      expect(await lagOf(world)).toBe(0);
      expect([...sent].sort()).toEqual(['i-1', 'i-2', 'i-3']);
      expect(world.store.events()).toHaveLength(before);
    });
  });

  it('F127 one source under two proposal ids, in two runs at once → one effect', () => {
    const sent: string[] = [];
    return inServices({ tools: [payTool(sent)] }, async (world) => {
      await world.run(createExecutor(world.depsOf('executor')));
      await world.run(intakeOf(world));
      await publish(world, { id: 'p-1', run: 'run-1' }, { id: 'p-2', run: 'run-2' });
      await world.runtime.advance(second);
      expect(sent).toEqual(['i-1']);
      expect(await putAside(world)).toEqual([]);
    });
  });

  it('FW28 that has lain in the topic for longer than it is valid → on record as expired, never sent', () => {
    const sent: string[] = [];
    return inServices({ tools: [payTool(sent)] }, async (world) => {
      const core = await world.openCaller();
      await core.begin('send');
      const ago = (hours: number) => ({
        timestamp: world.runtime.clock.wallMs() - hours * 60 * minute,
      });
      await publish(world, { invoice: 'old', record: ago(25) });
      await publish(world, { invoice: 'late', record: ago(2) });
      await world.run(intakeOf(world, { core: { core } }));
      await world.runtime.settle();
      const [old] = (await actions(world)).filter(({ types }) => types.length === 2);
      expect(old?.types).toEqual(['ActionPlanned', 'ActionExpired']);
      expect(sent).toEqual(['late']);
    });
  });

  it('is only observed where its tool is: it goes out, and not again when it comes again', () => {
    const sent: string[] = [];
    return inServices({ tools: [] }, async (world) => {
      const own = { tools: createToolSet([observedTool(payTool(sent))]), observes: () => true };
      const first = await world.run(intakeOf(world, {}, own));
      await publish(world, { id: 'p-1' }, { id: 'p-2' }, { id: 'p-1' });
      await world.runtime.advance(second);
      expect(sent).toEqual(['i-1', 'i-1']);
      await first.stop();
      const topics = [actionTopics.proposals];
      await world.log.reset({ group: 'intake', topics, to: 'start' });
      await world.run(intakeOf(world, {}, own, 'intake-2'));
      await world.runtime.advance(second);
      expect(await lagOf(world)).toBe(0);
      expect(sent).toHaveLength(2);
    });
  });

  it('of a tool that callers have just declared is waited for no event', () =>
    inServices({ tools: [] }, async (world) => {
      const caller = await world.openCaller();
      await world.run(intakeOf(world));
      world.holdLog();
      const declarations = [callerDeclaration(payTool())];
      await caller.ledger.callers.register({ tenant: 'acme', by: 'program', declarations });
      await publish(world, {});
      await world.runtime.settle();
      expect(await invoices(world)).toEqual(['i-1']);
    }));
});

describe('FW26 a new proposal of what was undone', () => {
  const book = defineTool({
    name: 'book',
    input: z.object({ trip: z.string() }),
    guarantee: 'manual',
    scope: 'tenant',
    keep: ['outcome.reservation'],
    undoneBy: [{ tool: 'cancel', match: { 'arguments.reservation': 'outcome.reservation' } }],
    execute: ({ beforeSend }) => {
      beforeSend();
      return { reservation: 'R1' };
    },
  });
  const cancel = defineTool({
    name: 'cancel',
    input: z.object({ reservation: z.string() }),
    guarantee: 'manual',
    execute: ({ beforeSend }) => {
      beforeSend();
      return {};
    },
  });
  const trip = { tool: 'book', arguments: { trip: 'VIE-LIS' } };

  it('is a redelivery where it is older than the undo, whatever its id, and else a new epoch', () =>
    inServices({ tools: [book, cancel] }, async (world) => {
      const { runtime } = world;
      await world.run(createExecutor(world.depsOf('executor')));
      await world.run(intakeOf(world, { clockSkewMs: second }));
      await publish(world, { id: 'p-1', members: trip });
      await runtime.advance(second);
      const between = runtime.clock.wallMs();
      await runtime.advance(second);
      const undo = { tool: 'cancel', arguments: { reservation: 'R1' } };
      await publish(world, { id: 'p-2', members: undo });
      await runtime.advance(second);
      expect((await actions(world))[0]?.types.at(-1)).toBe('ActionUndone');
      for (const timestamp of [between, between + 1.5 * second])
        await publish(world, { id: `p-${timestamp}`, members: trip, record: { timestamp } });
      await runtime.advance(minute);
      expect(await actions(world)).toHaveLength(2);
      await publish(world, { id: 'p-4', members: trip });
      await runtime.advance(second);
      const epochs = (await actions(world)).filter(({ planned }) => planned['tool'] === 'book');
      expect(epochs.map(({ planned }) => planned['epoch'])).toEqual([0, 1]);
      expect(epochs[1]?.types).toContain('ActionSucceeded');
    }));
});

describe('an absolute write by the log', () => {
  it('FW23 that was published before a newer one and is read after it does not take its place', () => {
    const set: string[] = [];
    const status = defineTool({
      name: 'set_status',
      input: z.object({ order: z.string(), status: z.string() }),
      identity: ['order'],
      guarantee: 'natural',
      execute: ({ arguments: { status: value }, beforeSend }) => {
        beforeSend();
        set.push(value);
        return {};
      },
    });
    return inServices({ tools: [status] }, async (world) => {
      const { runtime } = world;
      await world.run(createExecutor(world.depsOf('executor')));
      await runtime.advance(minute);
      const now = runtime.clock.wallMs();
      const say = (value: string, agoMs: number) =>
        publish(world, {
          id: `p-${value}`,
          members: { tool: 'set_status', arguments: { order: 'o-1', status: value } },
          record: { timestamp: now - agoMs },
        });
      await say('packed', 30 * second);
      await say('shipped', 10 * second);
      await say('ordered', 40 * second);
      await say('delivered', 5 * second);
      await world.run(intakeOf(world));
      await runtime.advance(minute);
      expect(set.at(-1)).toBe('delivered');
      expect(set).not.toContain('ordered');
      expect(await putAside(world)).toMatchObject([expect.stringContaining('key.other-arguments')]);
    });
  });
});

describe('a record that can be no proposal', () => {
  const secret = defineTool({
    name: 'login',
    input: z.object({ user: z.string(), pin: z.string() }),
    secret: ['pin'],
    guarantee: 'manual',
    execute: () => ({}),
  });
  const balance = defineTool({
    name: 'balance',
    kind: 'read',
    input: z.object({ invoice: z.string() }),
    execute: () => ({ cents: 1 }),
  });
  const tools = [payTool(), secret, balance];
  const cents = { arguments: { invoice: 'i-1', cents: 7 } };
  const pin = { tool: 'login', arguments: { user: 'ana', pin: '4711' } };
  const ofValue = (value: Uint8Array | undefined) => ({ record: { value } });

  it.each([
    ['F027 cut short', ofValue(Buffer.from('{"proposalId":"p-9","tool":"pa')), 'json.truncated'],
    ['no JSON', ofValue(Buffer.from([0, 0, 0, 0, 7])), 'json.malformed'],
    ['nothing', ofValue(undefined), 'request.invalid'],
    ['no time of arrival', { record: { timestamp: 0 } }, 'request.invalid'],
    ['F015 no id', { members: { proposalId: undefined } }, 'request.invalid'],
    ['F015 a blank id', { members: { proposalId: '  ' } }, 'action.request-invalid'],
    ['no tenant', { members: { tenant: undefined } }, 'request.invalid'],
    ['another tenant', { members: { tenant: 'other' } }, 'access.forbidden'],
    ['an unknown tool', { members: { tool: 'pya' } }, 'tool.unknown'],
    ['arguments that do not fit', { members: { arguments: {} } }, 'arguments.invalid'],
    ['a malformed key', { members: { key: '' } }, 'key.invalid'],
    ['other arguments', { id: 'p-9', members: cents }, 'key.other-arguments'],
    ['a tool that only reads', { members: { tool: 'balance' } }, 'tool.only-reads'],
    ['secrets', { members: pin }, 'tool.takes-secrets'],
  ] as const)(
    '%s → put aside with its reason, and all around it are recorded',
    (_what, bad, code) =>
      inServices({ tools, partitions: 1 }, async (world) => {
        await publish(world, three[0] ?? {}, bad, ...three.slice(1));
        const intake = await world.run(intakeOf(world, { tenants: ['acme'] }));
        await world.runtime.settle();
        expect(await invoices(world)).toEqual(['i-1', 'i-2', 'i-3']);
        expect(await lagOf(world)).toBe(0);
        expect(intake.health()).toMatchObject({ condition: 'live', handled: 4, deadLetters: 1 });
        const [letter, ...others] = await deadLetters(world);
        expect(others).toEqual([]);
        expect(letter?.headers['dead-letter-reason']).toMatch(new RegExp(`^${code}: `));
        expect(String(letter?.value)).not.toContain('4711');
      }),
  );

  const reading = defineTool({
    name: 'peek',
    kind: 'read',
    input: z.object({ pin: z.string() }),
    secret: ['pin'],
    execute: () => ({}),
  });

  const avro = (members: object, text = '{"pin":"4711",') => {
    const given = { proposalId: 'p-9', tenant: 'acme', tool: 'login', arguments: {}, ...members };
    const value = Buffer.from(encodeProposal(given));
    return Buffer.from(
      value.toString('latin1').replace('\u0004{}', `${zigzag(text)}${text}`),
      'latin1',
    );
  };
  const zigzag = (text: string): string => String.fromCharCode(2 * text.length);

  it.each([
    ['a tenant that is not taken', { members: { ...pin, tenant: 'other' } }, 'access.forbidden'],
    [
      'that, and no id',
      { members: { ...pin, tenant: 'other', proposalId: '' } },
      'request.invalid',
    ],
    [
      'a tool of such a tenant',
      { members: { ...pin, tenant: 'other', tool: 'theirs' } },
      'access.',
    ],
    ['no id', { members: { ...pin, proposalId: undefined } }, 'request.invalid'],
    ['no tenant', { members: { ...pin, tenant: undefined } }, 'request.invalid'],
    ['a member that is not known', { members: { ...pin, pin: '4711' } }, 'request.invalid'],
    ['no time of arrival', { members: pin, record: { timestamp: 0 } }, 'request.invalid'],
    ['a blank id', { members: { ...pin, proposalId: '  ' } }, 'tool.takes-secrets'],
    ['a tool that only reads', { members: { ...pin, tool: 'peek' } }, 'tool.takes-secrets'],
  ] as const)('leaves no secret where there is also: %s', (_what, bad, code) =>
    inServices({ tools: [...tools, reading], partitions: 1 }, async (world) => {
      await publish(world, bad);
      await world.run(intakeOf(world, { tenants: ['acme'] }));
      await world.runtime.settle();
      const [letter] = await deadLetters(world);
      expect(letter?.headers['dead-letter-reason']).toMatch(new RegExp(`^${code}`));
      expect(letter?.value).toBeUndefined();
    }),
  );

  it('leaves no secret in Avro whose arguments are no JSON', () =>
    inServices({ tools, partitions: 1 }, async (world) => {
      await publish(world, ofValue(avro({})), ofValue(avro({ tool: 'pay' })));
      await world.run(intakeOf(world, { decode: createDecoders().proposal }));
      await world.runtime.settle();
      const letters = await deadLetters(world);
      expect(await putAside(world)).toEqual(Array(2).fill(expect.stringMatching(/^json\./)));
      expect(letters.map(({ value }) => value === undefined)).toEqual([true, false]);
    }));

  it('leaves no secret of a tool that callers have just declared', () =>
    inServices({ tools: [], partitions: 1 }, async (world) => {
      const caller = await world.openCaller();
      await world.run(intakeOf(world));
      world.holdLog();
      const declarations = [callerDeclaration(secret)];
      await caller.ledger.callers.register({ tenant: 'acme', by: 'program', declarations });
      await publish(world, { members: { ...pin, proposalId: '' } });
      await world.runtime.settle();
      const [letter] = await deadLetters(world);
      expect(letter?.headers['dead-letter-reason']).toMatch(/^request\.invalid/);
      expect(letter?.value).toBeUndefined();
    }));

  it('says what differs', () =>
    inServices({ tools, partitions: 1 }, async (world) => {
      await world.run(intakeOf(world));
      await publish(world, {}, { id: 'p-9', members: cents });
      await world.runtime.settle();
      expect(await putAside(world)).toEqual([expect.stringContaining('It differs in cents.')]);
    }));

  it('with the headers of an event is none for that: it is taken', () =>
    inServices({ tools, partitions: 1 }, async (world) => {
      await world.run(intakeOf(world));
      const place = {
        'event-id': 'e',
        'event-type': 'T',
        stream: 's',
        revision: '3',
        position: '9',
      };
      for (const each of three) {
        await publish(world, { ...each, record: { headers: place } });
        await world.runtime.settle();
      }
      expect(await invoices(world)).toHaveLength(3);
    }));
});
