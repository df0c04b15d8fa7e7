// Reads all events of a ledger that nobody writes, for one purpose: to rebuild a projection from
// nothing, or to verify every chain, and nothing else.
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { proveChains } from '@action-ledger/application';
import { type EventStore } from '@action-ledger/event-store';
import { openSqliteEventStore } from '@action-ledger/event-store-sqlite';
import { openSqliteActionIndex } from '@action-ledger/read-models';
import { createSystemRuntime } from '@action-ledger/runtime';
import { mainFile } from './contender.ts';
import { type AuditReply, type AuditSetting } from './scale-messages.ts';

const { dir, audit } = JSON.parse(process.argv[2] ?? '') as AuditSetting;
const runtime = createSystemRuntime();

const store = await openSqliteEventStore({ path: join(dir, mainFile), runtime, readOnly: true });
const start = performance.now();
if (audit === 'chain') await proveAllChains(store);
else await rebuildViews(store);
const seconds = (performance.now() - start) / 1000;
const answer: AuditReply = { type: 'audited', events: await store.head(), seconds };
await store.close();
process.send?.(answer, () => {
  process.disconnect();
});

async function proveAllChains(of: EventStore): Promise<void> {
  const sha256 = (text: string): string => hash('sha256', text, 'base64url');
  const { broken } = await proveChains(of, { sha256 });
  if (broken.length > 0) throw new Error(JSON.stringify(broken));
}

async function rebuildViews(from: EventStore): Promise<void> {
  const folder = mkdtempSync(join(dir, 'views-'));
  const path = join(folder, 'rebuilt.views');
  const parts = { path, store: from, runtime, matchesOf: () => [], matchRules: '' };
  const index = await openSqliteActionIndex(parts);
  await index.close();
  rmSync(folder, { recursive: true });
}
