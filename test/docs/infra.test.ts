// What lies in infra/ speaks of things that exist: metrics that are counted, settings that are read, services
// that have a program, images of a stated version.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadTools, readSettings, stopTimes } from '@action-ledger/process';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { z } from 'zod';

const root = join(__dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const composeForm = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string(),
      stop_grace_period: z.string().optional(),
      command: z.array(z.string()).optional(),
      environment: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
    }),
  ),
});
const rulesForm = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          labels: z.object({ severity: z.enum(['warning', 'critical']) }),
          annotations: z.object({ summary: z.string(), do: z.string() }),
        }),
      ),
    }),
  ),
});
const prometheusForm = z.object({
  rule_files: z.array(z.string()),
  scrape_configs: z.array(
    z.object({
      job_name: z.string(),
      dns_sd_configs: z.array(z.object({ names: z.array(z.string()), port: z.number() })),
    }),
  ),
});
const dashboardForm = z.object({
  panels: z.array(
    z.object({
      title: z.string(),
      targets: z.array(z.object({ expr: z.string() })).default([]),
    }),
  ),
});

const { services } = composeForm.parse(parse(read('infra/compose.yaml'), { merge: true }));
const rules = rulesForm.parse(parse(read('infra/prometheus/alerts.yml')));
const prometheus = prometheusForm.parse(parse(read('infra/prometheus/prometheus.yml')));
const alerts = rules.groups.flatMap((group) => group.rules);
const dashboards = readdirSync(join(root, 'infra/grafana/dashboards')).map((name) =>
  dashboardForm.parse(JSON.parse(read(`infra/grafana/dashboards/${name}`))),
);
/** Where the environment sets nothing. */
function asGiven(value: string | number): string {
  return String(value).replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');
}

const ownServices = Object.entries(services).filter(([, { command }]) => command?.[0] === 'serve');

/** Of the page that a test compares with what a scrape gives: the metric, and its labels. */
const metrics = new Map(
  [
    ...read('docs/metrics.md').matchAll(/^\| `(action_ledger_\w+)`\s+\| (\w+)\s+\| ([^|]*)\|/gm),
  ].map(([, name = '', type = '', labels = '']) => [
    name,
    { type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label) },
  ]),
);
/** What Prometheus adds to every sample. */
const added = ['job', 'instance'];

interface Asked {
  readonly metrics: readonly string[];
  readonly labels: readonly string[];
  readonly isWhole: boolean;
}

function askedBy(expression: string): Asked {
  const text = expression.replaceAll('$__rate_interval', '5m');
  const asked = { metrics: [] as string[], labels: [] as string[], isWhole: true };
  parser.parse(text).iterate({
    enter: ({ type, from, to, node }) => {
      const found = text.slice(from, to);
      const isSelected = node.parent?.name === 'VectorSelector';
      if (type.isError) asked.isWhole = false;
      if (type.name === 'Identifier' && isSelected) asked.metrics.push(found);
      if (type.name === 'LabelName') asked.labels.push(found);
    },
  });
  return asked;
}

const expressions = [
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
  ...dashboards.flatMap(({ panels }) =>
    panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ),
];

describe('alerts and dashboards', () => {
  it.each(expressions)('%s asks for what is counted', (_, expression) => {
    const asked = askedBy(expression);
    expect([expression, asked.isWhole]).toEqual([expression, true]);
    expect(asked.metrics.length).toBeGreaterThan(0);
    const known = new Set(added);
    for (const name of asked.metrics.filter((each) => each !== 'up')) {
      const family = metrics.get(name) ?? metrics.get(name.replace(/_(bucket|sum|count)$/, ''));
      expect([name, family === undefined]).toEqual([name, false]);
      for (const label of family?.labels ?? []) known.add(label);
      if (family?.type === 'histogram') known.add('le');
    }
    expect(asked.labels.filter((label) => !known.has(label))).toEqual([]);
  });

  it('have an alert for each thing that nobody may miss', () => {
    const asked = new Set(alerts.flatMap(({ expr }) => askedBy(expr).metrics));
    for (const name of [
      'unknown_oldest_seconds',
      'unknowns',
      'invariants_broken_total',
      'service_lag',
      'service_stalled_seconds',
      'leases_ended_total',
      'approval_oldest_seconds',
    ])
      expect(asked).toContain(`action_ledger_${name}`);
  });
});

describe('the compose file', () => {
  it('starts every service that has a program, and no other', () => {
    const programs = readdirSync(join(root, 'services')).filter((name) =>
      existsSync(join(root, `services/${name}/src/main.ts`)),
    );
    const started = ownServices.map(([name, { command }]) => [name, command?.[1]]);
    expect(started.map(([name]) => name).sort()).toEqual(programs.sort());
    for (const [name, served] of started) expect(served).toBe(name);
  });

  it('names settings that there are', () => {
    const page = read('docs/distributed.md');
    for (const [, { environment = {} }] of ownServices)
      for (const name of Object.keys(environment).filter((each) => each.startsWith('ACTION_')))
        expect([name, page.includes(`| \`${name}\``)]).toEqual([name, true]);
  });

  it('gives every service settings that it takes, and tools that can be read', async () => {
    for (const [name, { environment = {} }] of ownServices) {
      const env = Object.entries(environment).map(([key, value]) => [key, asGiven(value)] as const);
      const given = Object.fromEntries(env);
      // Whom it tells is nobody's to guess.
      if (name === 'notifier') given['ACTION_LEDGER_NOTIFY_URLS'] = 'https://example.com/hook';
      const { tools = [] } = readSettings(given);
      const files = tools.map((path) => path.replace('/tools/', 'infra/tools/'));
      expect((await loadTools(files, given)).all.length).toBeGreaterThan(0);
    }
  });

  it('gives every service more time to stop than it takes', () => {
    const wholeS = stopTimes.wholeMs / 1_000;
    for (const [name, { stop_grace_period: grace = '10s' }] of ownServices)
      expect([name, Number(grace.replace('s', '')) > wholeS]).toEqual([name, true]);
    const page = read('docs/distributed.md');
    expect(page).toContain(`It has ended ${wholeS} s after it was told`);
    expect(page).toContain(`have ${stopTimes.drainMs / 1_000} s`);
  });

  it('takes images of a stated version: those that are tested', () => {
    for (const { image } of Object.values(services))
      expect(image).toMatch(/:v?\d+\.\d+\.\d+[\w.-]*$/);
    const { node } = z
      .object({ optionalDependencies: z.object({ node: z.string() }) })
      .transform((each) => each.optionalDependencies)
      .parse(JSON.parse(read('package.json')));
    const bases = [...read('infra/Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(new Set(bases)).toEqual(new Set([`node:${node}-slim`]));
    const broker = /<artifactId>kafka_2\.13<\/artifactId>\s*<version>([^<]+)</.exec(
      read('test/kafka/broker/pom.xml'),
    )?.[1];
    expect(services['kafka']?.image).toBe(`apache/kafka:${broker ?? ''}`);
  });

  it('has every process watched', () => {
    const watched = prometheus.scrape_configs.map(({ job_name, dns_sd_configs }) => {
      expect(dns_sd_configs).toEqual([expect.objectContaining({ names: [job_name], port: 9373 })]);
      return job_name;
    });
    expect(watched.sort()).toEqual(ownServices.map(([name]) => name).sort());
    expect(prometheus.rule_files).toEqual(['alerts.yml']);
  });
});
