// `action-ledger doctor`: looks at everything that a ledger needs, each with its fix.
import { StoreFault } from '@action-ledger/event-store';
import { openSqliteEventStore, type SqliteEventStore } from '@action-ledger/event-store-sqlite';
import { saysAndFix } from '../cli-error.ts';
import { type Cli } from '../cli.ts';
import { printable } from '../format/printable.ts';
import { type Style } from '../format/style.ts';
import { padText, textWidth, wrapProse } from '../format/text-width.ts';
import { ledgerPath, type PathOption } from '../ledger-file/ledger-path.ts';
import { checkFile, checkRoom, checkSync } from './check-file.ts';
import { checkNode } from './check-node.ts';
import { checkOwner } from './check-owner.ts';
import { checkRecord } from './check-record.ts';
import { fail, type Finding, ok, type State } from './finding.ts';

export interface DoctorOptions extends PathOption {
  readonly services?: boolean;
  readonly json?: boolean;
}

export async function doctor(cli: Cli, options: DoctorOptions): Promise<void> {
  const path = options.services === true ? undefined : ledgerPath(cli.io, options);
  const checks = await examine(cli, path);
  const isWell = checks.every(({ state }) => state !== 'fail');
  if (options.json === true)
    cli.json({ ...(path === undefined ? {} : { path }), ok: isWell, checks });
  else {
    const deeper = path === undefined ? deeperInServices : deeperInFile;
    cli.io.out(renderFindings(checks, cli.style, cli.io.columns, deeper));
  }
  if (!isWell) cli.end(1);
}

/** @param path undefined: what services need */
async function examine({ io }: Cli, path: string | undefined): Promise<readonly Finding[]> {
  const { node, sqlite } = process.versions;
  const machine = checkNode({ node, sqlite, execPath: process.execPath });
  if (path === undefined) {
    const { checkServices } = await import('./check-services.ts');
    return [...machine, ...(await checkServices(io))];
  }
  const { findings, isReadable } = checkFile(path);
  if (!isReadable) return [...machine, ...findings];
  const { clock } = io.runtime;
  return [
    ...machine,
    ...findings,
    checkOwner(path),
    ...(await lookInside(path, io.runtime)),
    checkRoom(path),
    checkSync(path, clock),
  ];
}

async function lookInside(
  path: string,
  runtime: Cli['io']['runtime'],
): Promise<readonly Finding[]> {
  let store: SqliteEventStore;
  try {
    store = await openSqliteEventStore({ path, runtime, readOnly: true, busyWaitMs: 2_000 });
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error;
    return [unopened(error)];
  }
  try {
    const format = ok('format', 'a ledger of the format that this version writes');
    return [format, ...(await checkRecord(store, runtime.clock.wallMs()))];
  } finally {
    await store.close();
  }
}

function unopened(fault: StoreFault): Finding {
  const { says, fix } = saysAndFix(fault);
  return fail('format', says, fix);
}

const columnsUsual = 100;
const checkWidth = 14;
const deeperInFile = 'action-ledger verify reads the whole record';
const deeperInServices = 'the auditor reads the whole record';

export function renderFindings(
  findings: readonly Finding[],
  style: Style,
  columns: number = columnsUsual,
  deeper = deeperInFile,
): string {
  const marks: { readonly [Name in State]: string } = {
    ok: style.good('ok  '),
    warn: style.open('warn'),
    fail: style.bad('FAIL'),
  };
  const lines = findings.map(({ check, state, says, fix }) => {
    const head = padText(check, checkWidth);
    const room = columns - textWidth(head) - 6;
    const texts = [...wrapProse(printable(says), room)];
    if (fix !== undefined) texts.push(...wrapProse(`fix: ${printable(fix)}`, room));
    return texts
      .map((text, index) => {
        const start = index === 0 ? `${marks[state]}  ${head}` : ' '.repeat(6 + checkWidth);
        return `${start}${text}\n`;
      })
      .join('');
  });
  return `${lines.join('')}\n${verdict(findings, style, deeper)}\n`;
}

function verdict(findings: readonly Finding[], style: Style, deeper: string): string {
  const failed = findings.filter(({ state }) => state === 'fail').length;
  const warned = findings.filter(({ state }) => state === 'warn').length;
  if (failed > 0) return style.bad(`${failed} of ${findings.length} checks failed.`);
  if (warned > 0)
    return style.open(`It works; ${warned} of ${findings.length} checks ask for a look.`);
  return `${style.good('All is well')} as far as this looks; ${deeper}.`;
}
