// Second actions that are wanted: the ledger must not stand in their way.
import { type DemoCase } from '../demo-case.ts';

const at = (
  turn: number,
): { readonly run: string; readonly turn: string; readonly call: string } => ({
  run: 'run-1',
  turn: String(turn),
  call: `call_${turn}`,
});

const wrongIban = { invoice: '2026-115', iban: 'DE00 WRONG' };
const rightIban = { invoice: '2026-115', iban: 'DE89 3704' };

const corrected: DemoCase = {
  title: 'A refused call is corrected and made again',
  guarantee: 'idempotent',
  effectsWanted: 1,
  behaviour: { keyWindowMs: 86_400_000 },
  refuses: ({ iban }) => (iban === wrongIban.iban ? 'this IBAN does not exist' : undefined),
  play: async (stage) => {
    const tool = stage.tool({
      name: 'pay_invoice',
      fields: ['invoice', 'iban'],
      identity: ['invoice'],
      guarantee: 'idempotent',
    });
    const { call } = await stage.open([tool]);
    await call('the provider refuses the IBAN', 'pay_invoice', wrongIban, at(1));
    await call('the model corrects it', 'pay_invoice', rightIban, at(2));
    await call('and asks once more', 'pay_invoice', rightIban, at(3));
  },
  without: async (agent) => {
    await agent.call('pay_invoice', wrongIban);
    await agent.call('pay_invoice', rightIban);
    await agent.call('pay_invoice', rightIban);
  },
};

const booking = { room: 'Ada', day: '2026-03-09' };

const undone: DemoCase = {
  title: 'Booked, cancelled, and then the first call is delivered again',
  guarantee: 'lookup',
  // Book, cancel, book.
  effectsWanted: 3,
  play: async (stage) => {
    const book = stage.tool({
      name: 'book_room',
      fields: ['room', 'day'],
      guarantee: 'lookup',
      undoneBy: [{ tool: 'cancel_room', match: { 'arguments.receipt': 'outcome.receipt' } }],
      keep: ['outcome.receipt'],
    });
    const cancel = stage.tool({ name: 'cancel_room', fields: ['receipt'], guarantee: 'lookup' });
    const { call } = await stage.open([book, cancel]);
    await call('the model books a room', 'book_room', booking, at(1));
    await call('it cancels the booking', 'cancel_room', { receipt: 'R-1' }, at(2));
    await call('the queue delivers the first call again', 'book_room', booking, at(1));
    await call('the model books the room again, on purpose', 'book_room', booking, at(4));
  },
  without: async (agent) => {
    await agent.call('book_room', booking);
    await agent.call('cancel_room', { receipt: 'R-1' });
    await agent.call('book_room', booking);
    await agent.call('book_room', booking);
  },
};

const small = { server: 'web-1', size: 'small' };
const large = { server: 'web-1', size: 'large' };

const setAndSetBack: DemoCase = {
  title: 'Set to A, to B, back to A, and then the old B is delivered again',
  guarantee: 'natural',
  effectsWanted: 3,
  behaviour: { entity: ({ server }) => JSON.stringify(server) },
  play: async (stage) => {
    const tool = stage.tool({
      name: 'resize',
      fields: ['server', 'size'],
      identity: ['server'],
      guarantee: 'natural',
    });
    const { call } = await stage.open([tool]);
    await call('size small', 'resize', small, at(1));
    await call('size large', 'resize', large, at(2));
    await call('size small again', 'resize', small, at(3));
    await call('the queue delivers "size large" again', 'resize', large, at(2));
    const now = stage.provider.endState('demo', 'resize', '"web-1"')?.arguments['size'];
    stage.tell('the provider is asked for the size', `It is ${JSON.stringify(now)}.`);
    stage.check(now === 'small', `the size is ${JSON.stringify(now)} and should be small`);
  },
  without: async (agent) => {
    for (const size of [small, large, small, large]) await agent.call('resize', size);
  },
};

export const changes = { corrected, undone, setAndSetBack };
