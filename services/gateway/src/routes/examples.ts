// Examples of the OpenAPI document. A test holds each against its own schema.
const actionId = 'uHG4G5dVNTZhC0pYHw0fW0w3qgS0wPp9bSxq4bJm3hQ.0';
const at = 1_780_000_000_000;

const base = { repeat: false, tenant: 'acme', tool: 'refund', actionId, epoch: 0 };

export const answerExamples = {
  done: {
    ...base,
    word: 'done',
    state: 'succeeded',
    revision: 3,
    guarantee: 'idempotent',
    result: { refund: 're_1' },
    externalId: 're_1',
    settledAt: at,
    messageForModel: 'Done now (result: {"refund":"re_1"}).',
  },
  repeated: {
    ...base,
    word: 'already-done',
    state: 'succeeded',
    repeat: true,
    revision: 3,
    guarantee: 'idempotent',
    result: { refund: 're_1' },
    externalId: 're_1',
    settledAt: at,
    messageForModel:
      'Already done earlier (at 2026-05-28T20:26:40.000Z; result: {"refund":"re_1"}).',
  },
  waiting: {
    ...base,
    word: 'waiting-for-approval',
    state: 'awaiting_approval',
    revision: 1,
    guarantee: 'idempotent',
    messageForModel: 'Waiting for approval.',
  },
} as const;
