// Workflows over HTTP: started, stepped, completed or undone by a program that is not in this process; each
// step is recorded with how it is undone before it is sent.
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { streamOfWorkflow } from '@action-ledger/domain';
import { createMemoryEventStore } from '@action-ledger/event-store';
import { defineTool, succeeded, type Tool } from '@action-ledger/tools';
import { misfitOf } from './answers-fit.ts';
import { inWorld, type Said, type World } from './world.ts';

const url = '/v1/workflows';

interface Trip {
  readonly world: World;
  /** What stands outside, in the order in which it was made. */
  readonly booked: readonly string[];
  readonly start: (more?: { readonly id: string }) => Promise<Said>;
  readonly step: (of: string, more?: object, as?: string) => Promise<Said>;
  readonly post: (what: string, body: object, as?: string) => Promise<Said>;
  readonly show: () => Promise<Shown>;
}

interface Shown {
  readonly status: string;
  readonly revision: number;
  readonly workflow: string;
  readonly steps: readonly {
    readonly step: string;
    readonly settled?: { readonly action: string };
    readonly compensated?: { readonly as: string };
  }[];
}

function tripTools(booked: string[]): readonly Tool[] {
  const book = defineTool({
    name: 'book',
    input: z.object({ what: z.string() }),
    guarantee: 'manual',
    execute: ({ arguments: { what }, beforeSend }) => {
      beforeSend();
      booked.push(what);
      return succeeded({ id: `b-${what}` }, { externalId: `b-${what}` });
    },
  });
  const release = defineTool({
    name: 'release',
    input: z.object({ id: z.string() }),
    guarantee: 'manual',
    execute: ({ arguments: { id }, beforeSend }) => {
      beforeSend();
      const at = booked.indexOf(id.slice(2));
      if (at >= 0) booked.splice(at, 1);
      return null;
    },
  });
  return [book, release] as readonly Tool[];
}

const undo = { tool: 'release', arguments: { id: { $from: 'outcome.id' } } };

async function onTrip(test: (trip: Trip) => Promise<void>): Promise<void> {
  const booked: string[] = [];
  await inWorld({ tools: tripTools(booked) }, async (world) => {
    const post = async (what: string, body: object, as = 'acme:proposer+operator') => {
      const said = await world.ask({ url: `${url}/trip-7/${what}`, body, as });
      expect(misfitOf('POST', `${url}/{id}/${what}`, said)).toBeUndefined();
      return said;
    };
    await test({
      world,
      booked,
      post,
      start: (more) => world.ask({ url, body: { id: 'trip-7', input: { to: 'Rome' }, ...more } }),
      step: (of, more = {}, as = 'acme:proposer') =>
        post(
          'steps',
          { step: of, tool: 'book', arguments: { what: of }, compensate: undo, ...more },
          as,
        ),
      show: async () => {
        const said = await world.ask({ url: `${url}/trip-7` });
        expect(misfitOf('GET', `${url}/{id}`, said)).toBeUndefined();
        return said.json as unknown as Shown;
      },
    });
  });
}

describe('a workflow over HTTP', () => {
  it('is started, stepped and completed; said again, all of it is answered from the record', async () => {
    await onTrip(async ({ start, step, post, show, booked }) => {
      expect((await start()).status).toBe(201);
      expect((await step('hotel')).status).toBe(201);
      const again = await start();
      expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
      const repeated = await step('hotel');
      expect([repeated.status, repeated.json.word]).toEqual([200, 'already-done']);
      expect((await step('flight')).status).toBe(201);
      expect((await post('complete', { result: 'bon voyage' })).json).toMatchObject({
        status: 'completed',
        result: 'bon voyage',
        messageForModel: 'Done now (2 steps).',
      });
      expect((await post('complete', { result: 'bon voyage' })).status).toBe(200);
      const other = await post('complete', { result: 'other' });
      expect([other.status, other.json.code]).toEqual([422, 'workflow.differs']);
      const late = await post('fail', { reason: 'too late' });
      expect([late.status, late.json.code]).toEqual([409, 'workflow.status']);
      expect(await show()).toMatchObject({ status: 'completed', steps: [{ step: 'hotel' }, {}] });
      expect(booked).toEqual(['hotel', 'flight']);
    });
  });

  it('records how a step is undone before the action of the step exists', async () => {
    await onTrip(async ({ start, step, show, world }) => {
      await start();
      await step('hotel');
      const { workflow, steps } = await show();
      const events = await world.store.readAll({ after: 0, max: 1_000 });
      const at = (stream: string, type: string): number =>
        events.find((event) => event.stream === stream && event.type === type)?.position ?? -1;
      const action = `action-${steps[0]?.settled?.action ?? ''}`;
      expect(at(`workflow-${workflow}`, 'StepPlanned')).toBeGreaterThan(0);
      expect(at(action, 'ActionPlanned')).toBeGreaterThan(
        at(`workflow-${workflow}`, 'StepPlanned'),
      );
    });
  });

  it('that fails is undone in reverse, and takes no step any more', async () => {
    await onTrip(async ({ start, step, post, show, booked }) => {
      await start();
      await step('hotel');
      await step('flight');
      const failed = await post('fail', { reason: 'no passport' });
      expect(failed.json).toMatchObject({ status: 'compensated' });
      expect(booked).toEqual([]);
      expect((await step('car')).json).toMatchObject({ status: 409, code: 'workflow.status' });
      expect((await show()).steps.map(({ compensated }) => compensated?.as)).toEqual([
        'compensated',
        'compensated',
      ]);
    });
  });

  it('is undone from a step on by a person who saw it as it is', async () => {
    await onTrip(async ({ start, step, post, show, booked }) => {
      await start();
      await step('hotel');
      await step('flight');
      await step('car');
      await post('complete', {});
      const { revision } = await show();
      const body = { reason: 'the airport is closed', from: 'flight' };
      const stale = await post('compensate', { ...body, revisionSeen: revision - 1 });
      expect(stale.json).toMatchObject({
        status: 412,
        code: 'workflow.stale-revision',
        facts: { since: [{ revision, type: 'WorkflowEnded' }] },
      });
      expect((await post('compensate', body)).json.code).toBe('request.revision-needed');
      const none = { ...body, from: 'boat', revisionSeen: revision };
      expect((await post('compensate', none)).json).toMatchObject({
        status: 404,
        code: 'workflow.step-unknown',
      });
      const undone = await post('compensate', { ...body, revisionSeen: revision });
      expect(undone.json).toMatchObject({
        status: 'compensated',
        standing: [{ step: 'hotel' }],
        compensation: { by: 'acme-proposer+operator', from: 1 },
      });
      expect(booked).toEqual(['hotel']);
    });
  });

  it('refuses a step that was recorded otherwise, or says nothing of its undoing', async () => {
    await onTrip(async ({ start, step, booked }) => {
      await start();
      expect((await step('hotel', { compensate: undefined })).json).toMatchObject({
        status: 400,
        code: 'workflow.compensation-missing',
      });
      await step('hotel');
      expect((await step('hotel', { arguments: { what: 'palace' } })).json).toMatchObject({
        status: 422,
        code: 'workflow.differs',
        facts: { differs: [{ path: 'arguments.what' }] },
      });
      expect(booked).toEqual(['hotel']);
    });
  });

  it('has each step proposed in the name of who takes it', async () => {
    await onTrip(async ({ start, step, show, world }) => {
      await start();
      await step('hotel', {}, 'acme:proposer:bob');
      const { steps } = await show();
      const { json } = await world.ask({ url: `/v1/actions/${steps[0]?.settled?.action ?? ''}` });
      expect(json['by']).toBe('bob');
    });
  });

  it('is listed for its tenant, newest first', async () => {
    await onTrip(async ({ start, world }) => {
      await start();
      const listed = await world.ask({ url: `${url}?open=true` });
      expect(misfitOf('GET', url, listed)).toBeUndefined();
      expect(listed.json).toMatchObject({ workflows: [{ name: 'trip-7', status: 'running' }] });
      const theirs = await world.ask({ url, as: 'umbrella:auditor' });
      expect(theirs.json).toEqual({ workflows: [] });
    });
  });

  it('is listed in pages, each where the one before it ended', async () => {
    await onTrip(async ({ start, world }) => {
      const ids = ['trip-1', 'trip-2', 'trip-3', 'trip-4', 'trip-5'];
      for (const [place, id] of ids.entries()) {
        await start({ id });
        await world.time.advance(place % 2);
      }
      const seen: string[] = [];
      for (let cursor = '', page = 0; page < 5; page += 1) {
        const listed = await world.ask({ url: `${url}?limit=2${cursor}` });
        expect(misfitOf('GET', url, listed)).toBeUndefined();
        const { workflows, next } = listed.json as {
          readonly workflows: readonly { readonly name: string }[];
          readonly next?: string;
        };
        seen.push(...workflows.map(({ name }) => name));
        if (next === undefined) break;
        cursor = `&cursor=${next}`;
        await start({ id: `later-${page}` });
      }
      expect([...seen].sort()).toEqual(ids);
      const bad = await world.ask({ url: `${url}?cursor=x` });
      expect(bad.json).toMatchObject({ status: 400, code: 'request.cursor' });
    });
  });
});

describe('a workflow that is damaged', () => {
  it('is 503 for its own tenant, and not there for others', async () => {
    const store = createMemoryEventStore();
    await inWorld({ store }, async ({ ask }) => {
      const { json } = await ask({ url, body: { id: 'trip-7', input: { to: 'Rome' } } });
      const { workflow = '' } = json as { readonly workflow?: string };
      const damaged = {
        ...store,
        readStream: async (stream: string, from?: number) =>
          (await store.readStream(stream, from)).map((event) =>
            stream === streamOfWorkflow(workflow)
              ? { ...event, data: event.data.replace('Rome', 'Oslo') }
              : event,
          ),
      };
      await inWorld({ store: damaged }, async (world) => {
        for (const name of [workflow, 'trip-7']) {
          const own = await world.ask({ url: `${url}/${name}` });
          expect(own.json).toMatchObject({ status: 503, code: 'stream.broken' });
          const other = await world.ask({ url: `${url}/${name}`, as: 'umbrella:auditor' });
          expect(other.json).toMatchObject({ status: 404, code: 'workflow.unknown' });
        }
      });
    });
  });
});
