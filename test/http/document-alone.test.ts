// The check itself: what does not stand in the document is found. And what is answered where the document
// has no operation.
import { describe, expect, it } from '@jest/globals';
import { described } from '@action-ledger/gateway';
import { misfitOf, misfitOfNone } from './answers-fit.ts';
import { inWorld, type Said } from './world.ts';

const headers = {
  'content-type': 'application/json; charset=utf-8',
  'content-length': '15',
  'cache-control': 'no-store',
};

const well: Said = { status: 200, headers, text: '{"status":"ok"}', json: { status: 'ok' } };

const found = (said: Partial<Said>): string | undefined =>
  misfitOf('GET', '/healthz', { ...well, ...said });

describe('an answer outside the document is found', () => {
  it('by its status, headers, media type and members', () => {
    expect(found({})).toBeUndefined();
    expect(found({ status: 404 })).toMatch(/^404 is not among its statuses/);
    expect(found({ headers: { ...headers, 'x-powered-by': 'x' } })).toBe(
      '200 with a header that is not declared: x-powered-by',
    );
    expect(found({ headers: { ...headers, 'content-type': 'text/html' } })).toBe(
      '200 as text/html',
    );
    expect(found({ json: { status: 'ok', more: 1 } })).toMatch(/must NOT have additional/);
    expect(found({ json: {} })).toMatch(/must have required property/);
    expect(misfitOf('PUT', '/healthz', well)).toMatch(/^200 is not among/);
  });

  it('by what is in a header', () => {
    const refused = (more: object): string | undefined =>
      misfitOf('POST', '/v1/actions', {
        status: 503,
        headers: { ...headers, 'content-type': 'application/problem+json', ...more },
        text: '',
        json: {
          type: 'urn:action-ledger:problem:gateway.busy',
          title: '',
          status: 503,
          code: 'gateway.busy',
          detail: '',
          word: 'checking',
          messageForModel: '',
        },
      });
    expect(refused({ 'retry-after': '1' })).toBeUndefined();
    expect(refused({ 'retry-after': 'soon' })).toBe('retry-after is soon');
  });
});

describe('where there is no operation', () => {
  it('another method is 405 and told which there are', async () => {
    await inWorld({}, async ({ gateway }) => {
      for (const path of new Set(described.map((each) => each.path))) {
        const own = described.filter((each) => each.path === path).map((each) => each.method);
        for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const) {
          if (own.some((each) => each === method)) continue;
          const {
            statusCode,
            headers: said,
            body,
          } = await gateway.app.inject({
            method,
            url: path.replaceAll(/[{}]/g, ''),
            headers: { 'content-type': 'text/plain' },
            payload: 'x',
          });
          const json = JSON.parse(body) as Said['json'];
          const misfit = misfitOfNone({ status: statusCode, headers: said, text: body, json });
          expect([path, method, statusCode, misfit]).toEqual([path, method, 405, undefined]);
          expect([path, said['allow']]).toEqual([path, own.join(', ')]);
        }
      }
    });
  });

  it('another address is 404', async () => {
    await inWorld({}, async ({ ask }) => {
      for (const url of ['/', '/v1', '/v1/actions/a/b', '/V1/actions', '/docs/x/y'])
        for (const as of ['acme:operator', null]) {
          const said = await ask({ url, as });
          expect([url, said.status, misfitOfNone(said)]).toEqual([url, 404, undefined]);
        }
      const named = await ask({ url: '/docs/package.json', as: null });
      expect([named.status, misfitOf('GET', '/docs/{file}', named)]).toEqual([404, undefined]);
    });
  });
});
