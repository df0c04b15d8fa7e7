// What a probe is told of a process in each of its conditions.
import { expect, it } from '@jest/globals';
import { type ServiceHealth } from '@action-ledger/application';
import { serveMetrics } from './serve-metrics.ts';

const conditions: readonly (readonly [ServiceHealth['condition'], live: number, ready: number])[] =
  [
    ['starting', 200, 503],
    ['live', 200, 200],
    ['paused', 200, 200],
    ['stuck', 503, 503],
    ['stopped', 200, 503],
  ];

it('says whether the process lives, and whether it works', async () => {
  let condition: ServiceHealth['condition'] = 'starting';
  const server = await serveMetrics({
    scrape: () => 'm 1\n',
    health: () => condition,
    onFault: () => undefined,
  });
  const ask = async (path: string) => {
    const response = await fetch(new URL(path, server.url));
    return { status: response.status, text: await response.text() };
  };
  try {
    for (const [each, live, ready] of conditions) {
      condition = each;
      expect(await ask('/live')).toEqual({ status: live, text: `${each}\n` });
      expect(await ask('/ready')).toEqual({ status: ready, text: `${each}\n` });
    }
    expect(await ask('/metrics')).toEqual({ status: 200, text: 'm 1\n' });
    expect(await ask('/elsewhere')).toMatchObject({ status: 404 });
  } finally {
    await server.close();
  }
});

it('serves metrics alone where nothing is known of the process', async () => {
  const server = await serveMetrics({ scrape: () => '', onFault: () => undefined });
  const { status } = await fetch(new URL('/ready', server.url));
  await server.close();
  expect(status).toBe(404);
});
