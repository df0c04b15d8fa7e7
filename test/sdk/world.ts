// One ledger with its tools, reached in two ways: in this process, and over HTTP through a real gateway on the
// loopback. Both are handed out in one form, so that a test says once what must hold for both. People come by
// their names: in the process they are named with each request, over HTTP they have keys.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Access, type Role, roles } from '@action-ledger/access';
import {
  createLedger,
  type Ledger,
  type RemoteLedger,
  type RemoteLedgerOptions,
} from '@action-ledger/client';
import { createGateway, type Limits } from '@action-ledger/gateway';
import { createSystemRuntime } from '@action-ledger/runtime';
import { createToolSet, type Tool } from '@action-ledger/tools';
import { embeddedAs, type Sdk } from './embedded-as.ts';
import { createTools, type Provider } from './tools.ts';

/** `callers`: over HTTP, and what can be is carried out by who asks. */
export const ways = ['embedded', 'remote', 'callers'] as const;
export type Way = (typeof ways)[number];
export type Store = 'memory' | 'file';

export interface World {
  /** As somebody with every role. */
  readonly as: (name: string) => Promise<Sdk>;
  /** Over HTTP, whichever way the world is. */
  readonly remote: (options?: Partial<RemoteLedgerOptions>) => Promise<RemoteLedger>;
  readonly provider: Provider;
  readonly url: string;
  readonly ledger: Ledger;
  readonly close: () => Promise<void>;
}

export const tenant = 'acme';

/** `ann` has every role; `ann:proposer` has this one alone; `nobody` is not let in. */
const access: Access = {
  authenticate: async ({ apiKey = '' }) => {
    const [name = '', role] = apiKey.split(':');
    if (name === '' || name === 'nobody') return undefined;
    const held = role === undefined ? roles : roles.filter((each) => each === role);
    return { name, tenant, roles: new Set<Role>(held) };
  },
};

const nothing = (): void => undefined;

export async function openWorld(
  way: Way,
  store: Store,
  limits: Partial<Limits> = {},
): Promise<World> {
  const runtime = createSystemRuntime();
  const { tools, provider } = createTools();
  const folder = store === 'file' ? mkdtempSync(join(tmpdir(), 'action-ledger-sdk-')) : undefined;
  const path = folder === undefined ? {} : { path: join(folder, 'ledger.db') };
  const isServed = ({ policy }: Tool): boolean => way !== 'callers' || policy !== undefined;
  const served = tools.filter(isServed);
  const carried = tools.filter((tool) => !isServed(tool));
  const ledger = await createLedger({ ...path, tools: served, tenant, runtime });
  const gateway = createGateway({
    ledger,
    tools: createToolSet(served),
    feed: ledger.store,
    access,
    runtime,
    logger: { info: nothing, warn: nothing, error: nothing },
    limits,
  });
  const { url } = await gateway.start();
  const opened: RemoteLedger[] = [];
  const remote: World['remote'] = async (options = {}) => {
    const own = way === 'callers' ? { tools: carried, digestKey: 'a key of sixteen' } : {};
    const made = await createLedger({ url, apiKey: 'ann', ...own, ...options });
    opened.push(made);
    return made;
  };
  return {
    as: async (name) =>
      way === 'embedded' ? embeddedAs(ledger, tenant, name) : remote({ apiKey: name }),
    remote,
    provider,
    url,
    ledger,
    close: async () => {
      for (const each of opened) await each.close();
      await gateway.stop();
      await ledger.close({ drainMs: 0 });
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
