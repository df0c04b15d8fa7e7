// The same action asked for again: by the model, by the queue, by two workers, by two clicks.
import { type DemoCase } from '../demo-case.ts';

const refund = { name: 'refund', fields: ['order', 'cents'], identity: ['order'] } as const;
const order = { order: 'A-17', cents: 2500 };

const laterTurn: DemoCase = {
  title: 'The model asks again in a later turn',
  guarantee: 'idempotent',
  effectsWanted: 1,
  behaviour: { keyWindowMs: 86_400_000 },
  play: async (stage) => {
    const tool = stage.tool({ ...refund, guarantee: 'idempotent' });
    const { call } = await stage.open([tool]);
    await call('turn 1: the model refunds order A-17', 'refund', order, {
      run: 'run-1',
      turn: '1',
      call: 'call_1',
    });
    await call('turn 4: it has lost track and refunds it again', 'refund', order, {
      run: 'run-1',
      turn: '4',
      call: 'call_9',
    });
  },
  without: async (agent) => {
    await agent.call('refund', order);
    await agent.call('refund', order);
  },
};

const redelivered: DemoCase = {
  title: 'A queue delivers the same call three times',
  guarantee: 'lookup',
  effectsWanted: 1,
  play: async (stage) => {
    const tool = stage.tool({
      name: 'send_email',
      fields: ['to', 'subject'],
      guarantee: 'lookup',
    });
    const { call } = await stage.open([tool]);
    const from = { run: 'run-1', turn: '1', call: 'call_1' };
    for (const happened of ['the call arrives', 'it arrives again', 'and once more']) {
      await call(happened, 'send_email', email, from);
    }
  },
  without: async (agent) => {
    for (let delivery = 0; delivery < 3; delivery += 1) await agent.call('send_email', email);
  },
};

const email = { to: 'ada@example.com', subject: 'Your booking' };

const race: DemoCase = {
  title: 'Three workers take up the same action at the same moment',
  guarantee: 'lookup',
  effectsWanted: 1,
  fault: () => ({ workMs: 10 }),
  play: async (stage) => {
    const tool = stage.tool({
      name: 'deploy',
      fields: ['service', 'version'],
      guarantee: 'lookup',
    });
    const { call } = await stage.open([tool]);
    await Promise.all(
      ['first', 'second', 'third'].map((which) =>
        call(`the ${which} worker deploys`, 'deploy', version, {
          run: 'run-1',
          turn: '1',
          call: `call_${which}`,
        }),
      ),
    );
  },
  without: async (agent) => {
    await Promise.all([1, 2, 3].map(() => agent.call('deploy', version)));
  },
};

const version = { service: 'checkout', version: '4.2.0' };

const otherArguments: DemoCase = {
  title: "The caller's key is used again with other arguments",
  guarantee: 'idempotent',
  effectsWanted: 1,
  behaviour: { keyWindowMs: 86_400_000 },
  play: async (stage) => {
    const tool = stage.tool({
      name: 'charge_card',
      fields: ['card', 'cents'],
      guarantee: 'idempotent',
    });
    const { call } = await stage.open([tool]);
    const key = 'order-1001';
    await call(
      'key order-1001: charge 25.00',
      'charge_card',
      { card: 'c-9', cents: 2500 },
      { key },
    );
    await call(
      'key order-1001: charge 30.00',
      'charge_card',
      { card: 'c-9', cents: 3000 },
      { key },
    );
  },
  without: async (agent) => {
    await agent.call('charge_card', { card: 'c-9', cents: 2500 });
    await agent.call('charge_card', { card: 'c-9', cents: 3000 });
  },
};

export const repeats = { laterTurn, redelivered, race, otherArguments };
