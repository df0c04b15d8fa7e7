// Lists in the pages, held against the lists in the code: a name that is missing on either side fails.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { keyRefusalCodes } from '@action-ledger/access';
import {
  answerCodes,
  callerToolRefusalCodes,
  answerWords,
  pauseRefusalCodes,
  reportRefusalCodes,
  writePoints,
} from '@action-ledger/application';
import { avroFaultCodes, registryFaultCodes, subjectOf } from '@action-ledger/avro';
import { ledgerErrorCodes, remoteFaultCodes } from '@action-ledger/client';
import {
  actionRefusalCodes,
  actionStatuses,
  identityRefusalCodes,
  invariantNames,
  jsonRefusalCodes,
  workflowRefusalCodes,
  workflowStatuses,
} from '@action-ledger/domain';
import { actionTopics, logFaultCodes } from '@action-ledger/event-log';
import { storeFaultCodes } from '@action-ledger/event-store';
import { gatewayCodes } from '@action-ledger/gateway';
import { notificationTypes } from '@action-ledger/notifications';
import { settingsKnown } from '@action-ledger/process';
import {
  argumentsRefusalCode,
  httpRefusalCodes,
  registrationRefusalCodes,
  toolDeclarationCodes,
} from '@action-ledger/tools';
import { firstCells, readPage, root, sectionOf } from './pages.ts';

const sorted = (names: readonly string[]): readonly string[] => [...names].sort();

function listed(page: string, section: string): readonly string[] {
  return sorted(firstCells(sectionOf(readPage(page), section)));
}

describe('docs/errors.md', () => {
  const cases: readonly (readonly [section: string, codes: readonly string[]])[] = [
    ['Words of an answer', Object.keys(answerWords)],
    ['Codes of answers', answerCodes],
    ['Arguments that are refused', [argumentsRefusalCode, ...jsonRefusalCodes]],
    ['Keys and identities that are refused', identityRefusalCodes],
    ['Commands that an action refuses', actionRefusalCodes],
    ['Workflows that are refused', workflowRefusalCodes],
    ['Reports that are refused', reportRefusalCodes],
    ['Pauses that are refused', pauseRefusalCodes],
    ['Tools of callers that are refused', [...callerToolRefusalCodes, ...registrationRefusalCodes]],
    ['API keys that are refused', keyRefusalCodes],
    ['Faults of the store', storeFaultCodes],
    ['Faults of the log', logFaultCodes],
    ['Records in Avro', avroFaultCodes],
    ['The schema registry', registryFaultCodes],
    ['Misuse of a ledger', ledgerErrorCodes],
    ['A ledger in another process', remoteFaultCodes],
    ['Declarations that are refused', [...toolDeclarationCodes, ...registrationRefusalCodes]],
    ['Answers of the HTTP API', gatewayCodes],
    ['Endings of HTTP tools', ['http.<status>', ...httpRefusalCodes]],
  ];

  it.each(cases)('lists exactly the codes of the code: %s', (section, codes) => {
    expect(listed('docs/errors.md', section)).toEqual(sorted(codes));
  });

  it('gives each word of an answer its sentence', () => {
    const rows = sectionOf(readPage('docs/errors.md'), 'Words of an answer').split('\n');
    for (const [word, sentence] of Object.entries(answerWords)) {
      const row = rows.find((line) => line.includes(`\`${word}\``));
      expect(row?.split('|')[2]?.trim()).toBe(sentence);
    }
  });

  it('lists every code that the sources mention, and none that they do not', () => {
    const documented = firstCells(readPage('docs/errors.md').text).filter(isCode);
    const mentioned = sources().flatMap((text) =>
      [...text.matchAll(/'([a-z]+\.[a-z]+(?:-[a-z]+)*)'/g)].map((match) => match[1] ?? ''),
    );
    const codes = mentioned.filter(
      (text) => text === argumentsRefusalCode || !isSomethingElse(text),
    );
    expect(sorted([...new Set(codes)])).toEqual(sorted([...new Set(documented)]));
  });
});

const isCode = (cell: string): boolean => /^[a-z]+\.[a-z]+(-[a-z]+)*$/.test(cell);

/** Paths of fields and of members, names of files, topics and subjects, settings of topics, and what the sandbox alone says. */
function isSomethingElse(text: string): boolean {
  return (
    /^(arguments|outcome|sandbox|approval|policy|cleanup|compression|retention)\.|\.(db|js|sock)$/.test(
      text,
    ) ||
    Object.values<string>(actionTopics).includes(text) ||
    Object.values(subjectOf).includes(text) ||
    Object.values<string>(notificationTypes).includes(text)
  );
}

/** Without tests and without what only tests import. */
function sources(): readonly string[] {
  return ['packages', 'services']
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)))
    .filter((path) => path !== join('packages', 'testkit'))
    .map((path) => join(root, path, 'src'))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
        .map((name) => readFileSync(join(folder, name), 'utf8')),
    );
}

describe('the other lists', () => {
  it('docs/guarantees.md has every invariant', () => {
    expect(listed('docs/guarantees.md', 'What must always hold')).toEqual(sorted(invariantNames));
  });

  it('ARCHITECTURE.md has every point of the write path, in order', () => {
    const points = firstCells(sectionOf(readPage('ARCHITECTURE.md'), 'The write path'));
    expect(points).toEqual(writePoints);
  });

  it('ARCHITECTURE.md has every package', () => {
    const packages = ['packages', 'services'].flatMap((name) => readdirSync(join(root, name)));
    expect(listed('ARCHITECTURE.md', 'The picture')).toEqual(sorted(packages));
  });

  it('docs/glossary.md has every status', () => {
    const statuses = firstCells(sectionOf(readPage('docs/glossary.md'), 'Statuses of an action'));
    expect(sorted(statuses)).toEqual(sorted(actionStatuses));
  });

  it('docs/glossary.md has every status of a workflow', () => {
    const statuses = firstCells(sectionOf(readPage('docs/glossary.md'), 'Statuses of a workflow'));
    expect(sorted(statuses)).toEqual(sorted(workflowStatuses));
  });

  it('docs/tools.md has every member of a declaration', () => {
    const definition = join(root, 'packages/tools/src/definition.ts');
    const members = membersOf(readFileSync(definition, 'utf8'), 'ToolDefinition');
    expect(sorted(listed('docs/tools.md', 'Members'))).toEqual(sorted(members));
  });

  it('docs/tools.md has every member of an HTTP tool', () => {
    const definition = join(root, 'packages/tools/src/http/http-definition.ts');
    const members = membersOf(readFileSync(definition, 'utf8'), 'HttpToolDefinition');
    expect(listed('docs/tools.md', 'HTTP tools as data')).toEqual(sorted(members));
  });

  it('docs/recorded-calls.md has every member of a line', () => {
    const line = readFileSync(join(root, 'packages/sandbox/src/traces/trace-line.ts'), 'utf8');
    const form = /const recorded = z\.object\(\{([^}]*)\}/.exec(line)?.[1] ?? '';
    const members = [...form.matchAll(/^ {2}(\w+):/gm)].map((match) => match[1] ?? '');
    expect(members.length).toBeGreaterThan(5);
    expect(listed('docs/recorded-calls.md', 'A line')).toEqual(sorted(members));
  });
});

/** Of an interface: its own members, not those of objects inside it. */
function membersOf(source: string, name: string): readonly string[] {
  const start = source.indexOf(`export interface ${name}<`);
  const body = source.slice(start, source.indexOf('\n}', start));
  const members = [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map((match) => match[1] ?? '');
  expect(members.length).toBeGreaterThan(3);
  return members;
}

describe('docs/glossary.md', () => {
  const glossary = readPage('docs/glossary.md');
  const rows = sectionOf(glossary, 'Words')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| word'));

  it('has the words of the project, and no others', () => {
    expect(sorted(firstCells(sectionOf(glossary, 'Words')))).toEqual(sorted(words));
  });

  it('names only what is in the code', () => {
    const all = sources().join('\n');
    const names = rows.flatMap((row) =>
      [...(row.split('|').at(-2) ?? '').matchAll(/`(\w+)`/g)].map((match) => match[1] ?? ''),
    );
    expect(names.length).toBeGreaterThan(words.length);
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(all))).toEqual([]);
  });
});

/** One word, one meaning: a new one needs its row, its use in the code, and a reason. */
const words = [
  'action',
  'tool',
  'arguments',
  'identity fields',
  'bound fields',
  'free fields',
  'key',
  'epoch',
  'scope',
  'call',
  'caller',
  'proposal',
  'claim',
  'attempt',
  'dispatch',
  'downstream key',
  'outcome',
  'effect',
  'evidence',
  'doubt',
  'verdict',
  'reconcile',
  'compensate',
  'workflow',
  'step',
  'approval',
  'vote',
  'owner',
  'next check',
  'stream',
  'revision',
  'position',
  'projection',
  'replay',
  'repeat',
  'duplicate',
  'incident',
  'observed',
];

describe('docs/distributed.md', () => {
  it('lists every setting, with what the code says of it', () => {
    const section = sectionOf(readPage('docs/distributed.md'), 'Settings');
    const rows = section
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) => line.split('|').map((cell) => cell.trim()));
    const expected = settingsKnown.map(({ name, what, isRequired }) => [
      `\`${name}\``,
      `${isRequired ? '**Needed.** ' : ''}${what}`,
    ]);
    expect(rows.map(([, name, what]) => [name, what])).toEqual(expected);
  });
});
