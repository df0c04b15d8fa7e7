// A hook: what it throws is a failure with a reason that is bounded, because it goes on record.
import { expect, it } from '@jest/globals';
import { createHook } from './endpoint.ts';
import { type Notification } from './notification.ts';

const notification = {} as unknown as Notification;

it.each([
  ['a short text as it is', new Error('no line'), 'no line'],
  ['a long one cut', new Error('x'.repeat(100_000)), 'x'.repeat(1_000)],
  [
    'a pair that the cut would halve',
    new Error(`${'x'.repeat(999)}💶`),
    `${'x'.repeat(999)}\ufffd`,
  ],
])('a hook that throws has failed, with %s', async (_what, thrown, reason) => {
  const hook = createHook({ tell: () => Promise.reject(thrown) });
  expect(await hook.send(notification)).toEqual({ kind: 'failed', reason });
});
