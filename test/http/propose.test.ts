// POST /v1/actions: the statuses of DESIGN.md section 9, and that a repeat runs nothing.
import { describe, expect, it } from '@jest/globals';
import { inWorld, payment } from './world.ts';

const url = '/v1/actions';

describe('a proposal', () => {
  it('is 201 with its outcome, and 200 when it is said again', async () => {
    await inWorld({}, async ({ ask, effects }) => {
      const first = await ask({ url, body: payment('1') });
      expect(first.status).toBe(201);
      expect(first.json).toMatchObject({
        word: 'done',
        state: 'succeeded',
        repeat: false,
        result: { paid: true },
        externalId: 'tx-1',
        messageForModel: 'Done now (result: {"paid":true}).',
      });
      expect(first.headers['location']).toBe(`/v1/actions/${String(first.json.actionId)}`);
      expect(first.headers['idempotent-replayed']).toBeUndefined();
      const again = await ask({ url, body: payment('1') });
      expect(again.status).toBe(200);
      expect(again.headers['idempotent-replayed']).toBe('true');
      expect(again.json).toMatchObject({ word: 'already-done', repeat: true });
      expect(again.json.messageForModel).toContain('Already done earlier');
      expect(effects()).toBe(1);
    });
  });
});
