// Reports that match nothing yet: kept on record until an action comes to bear the name that they give,
// for some days. Their streams are divided by tenant and day, so that each stays short and what is
// too old is never read again. Bounded per tenant in number and size; what is beyond the bounds is refused,
// so that its sender, a webhook, sends it again later.
import { canonicalJson, type JsonObject, refusal, type Refusal } from '@action-ledger/domain';
import { StoreFault } from '@action-ledger/event-store';
import { providerNameText } from '../record/action-index.ts';
import { createRecordStream, type RecordStreamDeps } from '../record/record-stream.ts';
import {
  aboutIn,
  type EvidenceRequest,
  namesIn,
  reportIn,
  type ReportRefusalCode,
  samenessOf,
} from './report-request.ts';
import { createReportDays, dayMs, type ReportDays } from './report-days.ts';

export interface WaitingReport {
  /** SHA-256 of what makes it this report. */
  readonly report: string;
  readonly request: EvidenceRequest;
  /** Wall-clock ms since the epoch. */
  readonly at: number;
  /** It is given up then. */
  readonly until: number;
}

export interface WaitingReports {
  /**
   * Durable when it resolves; the same report is kept once.
   * @throws StoreFault
   */
  keep(request: EvidenceRequest): Promise<WaitingReport | Refusal<ReportRefusalCode>>;
  /** Those that wait under one of these names, oldest first. Costs nothing for a tenant that has none. */
  under(tenant: string, names: () => readonly string[]): readonly WaitingReport[];
  /** It waits no longer. @throws StoreFault */
  matched(waiting: WaitingReport, action: string): Promise<void>;
  /** Oldest first. */
  list(tenant: string): readonly WaitingReport[];
  /** Of all tenants. */
  all(): readonly WaitingReport[];
  /**
   * Reads what earlier processes have kept, of each tenant that is not read yet.
   * @returns why some could not be read, one fault for each tenant; the others are read
   * @throws StoreFault where not even the tenants are known
   */
  load(): Promise<readonly unknown[]>;
}

/** A provider repeats its webhooks for about three days. */
export const reportsKeptDays = 7;
export const reportsWaitingMax = 1_000;
export const reportBytesMax = 64 * 1024;
export const reportsBytesMax = 8 * 1024 * 1024;
const appendRoundsMax = 16;
/** Matched ones too: a day must not become too long to read. */
export const reportsPerDayMax = 10_000;

interface Held extends WaitingReport {
  readonly day: number;
  readonly bytes: number;
  readonly names: readonly string[];
}

interface Tenant {
  readonly held: Map<string, Held>;
  readonly byName: Map<string, Set<string>>;
  bytes: number;
  readonly days: ReportDays;
  /** Changes of one tenant come one after another. */
  last: Promise<unknown>;
}

const tenantsStream = {
  stream: 'evidence-tenants',
  initial: new Set<string>() as ReadonlySet<string>,
  evolve: (tenants: ReadonlySet<string>, { data }: { readonly data: JsonObject }) =>
    typeof data['tenant'] === 'string' ? new Set([...tenants, data['tenant']]) : tenants,
};

export function createWaitingReports(deps: RecordStreamDeps): WaitingReports {
  const { clock } = deps;
  const names = createRecordStream(deps, tenantsStream);
  const tenants = new Map<string, Tenant>();

  const opened = async (tenant: string): Promise<Tenant> => {
    const known = tenants.get(tenant);
    if (known !== undefined) return known;
    await names.change(tenant, (all) =>
      all.has(tenant) ? [] : [{ type: 'EvidenceTenantAdded', data: { tenant } }],
    );
    return tenants.get(tenant) ?? read(tenant);
  };
  const read = async (tenant: string): Promise<Tenant> => {
    const next: Tenant = {
      held: new Map(),
      byName: new Map(),
      bytes: 0,
      days: createReportDays(deps, tenant),
      last: Promise.resolve(),
    };
    const today = dayOf(clock.nowMs());
    for (let day = today - reportsKeptDays; day <= today; day += 1) await readDay(next, day);
    // Whoever was faster has it.
    const first = tenants.get(tenant) ?? next;
    tenants.set(tenant, first);
    return first;
  };

  return {
    keep: async (request) => {
      const tenant = await opened(request.tenant);
      return inTurn(tenant, () => keep(deps, tenant, request));
    },
    under: (tenant, wanted) => {
      const known = tenants.get(tenant);
      if (known === undefined || known.held.size === 0) return [];
      giveUp(known, clock.nowMs());
      const found = wanted().flatMap((name) => [...(known.byName.get(name) ?? [])]);
      return [...new Set(found)].flatMap((report) => known.held.get(report) ?? []);
    },
    matched: async ({ request, report }, action) => {
      const tenant = await opened(request.tenant);
      await inTurn(tenant, async () => {
        const held = tenant.held.get(report);
        if (held === undefined) return;
        await append(tenant, held.day, { type: 'EvidenceMatched', data: { report, action } });
        drop(tenant, held);
      });
    },
    list: (tenant) => {
      const known = tenants.get(tenant);
      if (known === undefined) return [];
      giveUp(known, clock.nowMs());
      return [...known.held.values()].sort((a, b) => a.at - b.at);
    },
    all: () => [...tenants.values()].flatMap(({ held }) => [...held.values()]),
    load: async () => faultsOf(await names.load(), tenants, read),
  };
}

async function faultsOf(
  wanted: ReadonlySet<string>,
  tenants: ReadonlyMap<string, Tenant>,
  read: (tenant: string) => Promise<unknown>,
): Promise<readonly unknown[]> {
  const faults: unknown[] = [];
  for (const tenant of wanted) {
    if (tenants.has(tenant)) continue;
    await read(tenant).catch((fault: unknown) => {
      faults.push(fault);
    });
  }
  return faults;
}

async function keep(
  { clock, sha256 }: RecordStreamDeps,
  tenant: Tenant,
  request: EvidenceRequest,
): Promise<WaitingReport | Refusal<ReportRefusalCode>> {
  const at = clock.nowMs();
  giveUp(tenant, at);
  const report = sha256(canonicalJson(samenessOf(request)));
  const known = tenant.held.get(report);
  if (known !== undefined) return known;
  const said = { ...reportIn(request), ...aboutIn(request) };
  const bytes = Buffer.byteLength(canonicalJson(said));
  const day = dayOf(at);
  const full = whyFull(tenant, bytes, day);
  if (full !== undefined) return full;
  await append(tenant, day, { type: 'EvidenceKept', data: { report, ...said } });
  const held = heldOf(said, { report, at, bytes, day });
  add(tenant, held);
  return held;
}

function whyFull(
  { held, bytes: all, days }: Tenant,
  bytes: number,
  day: number,
): Refusal<ReportRefusalCode> | undefined {
  if (bytes > reportBytesMax)
    return refusal(
      'evidence.too-large',
      `Nothing was recorded: a report that matches no action yet may have ${reportBytesMax} bytes, and this one has ${bytes}.`,
    );
  const isFull =
    held.size >= reportsWaitingMax ||
    all + bytes > reportsBytesMax ||
    days.length(day) >= 2 * reportsPerDayMax;
  return isFull
    ? refusal(
        'evidence.too-many',
        'Nothing was recorded: too many reports of this tenant wait for an action already. Send it again later.',
      )
    : undefined;
}

/** What others appended meanwhile is taken in first. */
async function append(
  tenant: Tenant,
  day: number,
  record: { readonly type: string; readonly data: object },
): Promise<void> {
  for (let round = 0; round < appendRoundsMax; round += 1) {
    if (await tenant.days.append(day, record)) return;
    await readDay(tenant, day);
  }
  throw new StoreFault(
    'store.unavailable',
    'safe',
    `Others kept reports ${appendRoundsMax} times in a row. Try again.`,
  );
}

async function readDay(tenant: Tenant, day: number): Promise<void> {
  for (const { type, data, at } of await tenant.days.read(day)) {
    const { report = '', ...said } = data as unknown as EvidenceRequest & {
      readonly report?: string;
    };
    const held = tenant.held.get(report);
    if (type === 'EvidenceMatched' && held !== undefined) drop(tenant, held);
    if (type !== 'EvidenceKept' || held !== undefined) continue;
    const bytes = Buffer.byteLength(canonicalJson({ ...said }));
    add(tenant, heldOf(said, { report, at, bytes, day }));
  }
}

function heldOf(
  request: EvidenceRequest,
  place: Pick<Held, 'report' | 'at' | 'bytes' | 'day'>,
): Held {
  const names = namesIn(request).map(providerNameText);
  return { ...place, request, until: place.at + reportsKeptDays * dayMs, names };
}

function add(tenant: Tenant, held: Held): void {
  tenant.held.set(held.report, held);
  tenant.bytes += held.bytes;
  for (const name of held.names) {
    const reports = tenant.byName.get(name);
    if (reports === undefined) tenant.byName.set(name, new Set([held.report]));
    else reports.add(held.report);
  }
}

function drop(tenant: Tenant, { report, bytes, names }: Held): void {
  if (!tenant.held.delete(report)) return;
  tenant.bytes -= bytes;
  for (const name of names) {
    const reports = tenant.byName.get(name);
    reports?.delete(report);
    if (reports?.size === 0) tenant.byName.delete(name);
  }
}

function giveUp(tenant: Tenant, nowMs: number): void {
  for (const held of tenant.held.values()) if (held.until <= nowMs) drop(tenant, held);
}

function dayOf(atMs: number): number {
  return Math.floor(atMs / dayMs);
}

async function inTurn<Result>(tenant: Tenant, work: () => Promise<Result>): Promise<Result> {
  const result = tenant.last.then(work, work);
  tenant.last = result.catch(() => undefined);
  return result;
}
