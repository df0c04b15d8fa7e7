import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Sha256 } from '../sha256.ts';
import {
  actionIdOf,
  actionOfStream,
  downstreamKeyOf,
  epochOf,
  keyHashOf,
  parseActionId,
  streamOfAction,
} from './action-id.ts';

const sha256: Sha256 = (text) => hash('sha256', text, 'base64url');
const keyHash = '3sOoAUC6jJ4L8pftDIvcFby3deLFzroDSUuiMv3z3_4';

describe('an action id', () => {
  it('is made of key and epoch, and gives them back', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(999_999_999), (text, epoch) => {
        const actionId = actionIdOf(sha256(text), epoch);
        expect(parseActionId(actionId)).toEqual({ keyHash: sha256(text), epoch });
        expect([keyHashOf(actionId), epochOf(actionId)]).toEqual([sha256(text), epoch]);
        expect(actionOfStream(streamOfAction(actionId))).toBe(actionId);
      }),
    );
    expect(streamOfAction(actionIdOf(keyHash, 3))).toBe(`action-${keyHash}.3`);
  });

  it.each([
    '',
    keyHash,
    `${keyHash}.`,
    `${keyHash}.01`,
    `${keyHash}.-1`,
    `${keyHash}.1e3`,
    `${keyHash}.1\n`,
    `${keyHash.slice(1)}.1`,
    `${keyHash}x.1`,
    `${keyHash.slice(1)}/.1`,
  ])('is not %j', (text) => {
    expect(parseActionId(text)).toBeUndefined();
    expect(actionOfStream(`action-${text}`)).toBeUndefined();
    expect(() => epochOf(text)).toThrow(TypeError);
    expect(() => keyHashOf(text)).toThrow(TypeError);
  });

  it('is not found in the streams of others', () => {
    expect(actionOfStream(`workflow-${keyHash}.0`)).toBeUndefined();
    expect(actionOfStream('action-')).toBeUndefined();
  });
});

describe('downstreamKeyOf', () => {
  it('F023 has not changed', () => {
    const key = downstreamKeyOf(sha256, actionIdOf(keyHash, 0));
    expect(key).toBe('qOIw0tekn2v7xO98-t0esX-u-PG7W-r_vw8qtyjTr2M');
  });

  it('is another one for each epoch', () => {
    const keys = [0, 1, 2].map((epoch) => downstreamKeyOf(sha256, actionIdOf(keyHash, epoch)));
    expect(new Set(keys).size).toBe(3);
  });
});
