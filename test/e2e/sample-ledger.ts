// A small ledger in a file, made by the SDK: a repeat, a refusal that was corrected, an unknown that
// waits for a person, an approval that waits, an undone booking.
import { createLedger, defineTool, type Ledger, refused } from '@action-ledger/client';
import { inputFromJsonSchema, type Tool } from '@action-ledger/tools';

const object = (fields: readonly string[], required = fields) =>
  inputFromJsonSchema({
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])),
    required: [...required],
  });

let receipts = 0;
const nextReceipt = (): { readonly receipt: string } => ({ receipt: `R-${(receipts += 1)}` });

const refund = defineTool({
  name: 'refund',
  input: object(['order', 'amount', 'note'], ['order', 'amount']),
  identity: ['order'],
  free: ['note'],
  guarantee: 'idempotent',
  keyWindow: '24h',
  execute: ({ arguments: args, beforeSend }) => {
    beforeSend();
    return args['amount'] === '0.00' ? refused('nothing to refund') : nextReceipt();
  },
});

const sendLetter = defineTool({
  name: 'send_letter',
  input: object(['to']),
  guarantee: 'manual',
  execute: ({ beforeSend }) => {
    beforeSend();
    throw new Error('connection reset \u001b[31m');
  },
});

const transfer = defineTool({
  name: 'transfer',
  input: object(['to']),
  guarantee: 'manual',
  approval: { votes: 2 },
  execute: nextReceipt,
});

const book = defineTool({
  name: 'book_room',
  input: object(['room']),
  guarantee: 'manual',
  keep: ['outcome.receipt'],
  undoneBy: [{ tool: 'cancel_room', match: { 'arguments.receipt': 'outcome.receipt' } }],
  execute: nextReceipt,
});

const cancel = defineTool({
  name: 'cancel_room',
  input: object(['receipt']),
  guarantee: 'manual',
  execute: nextReceipt,
});

export const sampleTools: readonly Tool[] = [refund, sendLetter, transfer, book, cancel];

export interface Sample {
  readonly ledger: Ledger;
  /** By what became of them. */
  readonly ids: {
    readonly refund: string;
    readonly refused: string;
    readonly corrected: string;
    readonly unknown: string;
    readonly waiting: string;
    readonly undone: string;
  };
}

export async function openSample(path: string): Promise<Sample> {
  const ledger = await createLedger({ path, tools: sampleTools });
  const call = async (
    tool: Tool,
    args: Readonly<Record<string, string>>,
    run: string,
    id: string,
  ): Promise<{ readonly id: string; readonly result: unknown }> => {
    const from = { run, turn: '1', call: id, by: 'agent-7' };
    const { actionId = '', result } = await ledger.tool(tool).call(args, from);
    return { id: actionId, result };
  };
  const order = { order: 'A-17', amount: '25.00' };
  const first = await call(refund, { ...order, note: 'sorry' }, 'run-1', 'call_1');
  await call(refund, { ...order, note: 'so sorry' }, 'run-1', 'call_2');
  const refusal = await call(refund, { order: 'A-18', amount: '0.00' }, 'run-1', 'call_3');
  const corrected = await call(refund, { order: 'A-18', amount: '9.00' }, 'run-1', 'call_4');
  const unknown = await call(sendLetter, { to: 'Grace' }, 'run-2', 'call_5');
  const waiting = await call(transfer, { to: 'ACME' }, 'run-2', 'call_6');
  const booked = await call(book, { room: 'Ada' }, 'run-3', 'call_7');
  await call(cancel, booked.result as { readonly receipt: string }, 'run-3', 'call_8');
  return {
    ledger,
    ids: {
      refund: first.id,
      refused: refusal.id,
      corrected: corrected.id,
      unknown: unknown.id,
      waiting: waiting.id,
      undone: booked.id,
    },
  };
}
