// The jars of Apache Kafka, which a broker for tests is started from: fetched by Maven once for each
// version of pom.xml and kept under node_modules/.cache. Where this machine has no Java or no Maven,
// or they cannot be fetched, it says why: whoever asks then skips, and says so.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export type Jars =
  | { readonly kind: 'there'; readonly folder: string }
  | { readonly kind: 'missing'; readonly why: string };

const fetchMsMax = 300_000;

/** @param root of the repository */
export function fetchJars(root: string): Jars {
  if (!isThere('java', '-version')) return { kind: 'missing', why: 'this machine has no Java' };
  const pom = join(root, 'test', 'kafka', 'broker', 'pom.xml');
  const version = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 12);
  const cache = join(root, 'node_modules', '.cache', 'kafka');
  const folder = join(cache, version);
  if (existsSync(folder)) return { kind: 'there', folder };
  if (!isThere('mvn', '-version')) return { kind: 'missing', why: 'this machine has no Maven' };
  mkdirSync(cache, { recursive: true });
  const unfinished = join(cache, `${version}.${process.pid}`);
  const told = `-DoutputDirectory=${unfinished}`;
  const args = [
    '-B',
    '-q',
    '-f',
    pom,
    'dependency:copy-dependencies',
    '-DincludeScope=runtime',
    told,
  ];
  const { status } = spawnSync('mvn', args, { stdio: ['ignore', 2, 2], timeout: fetchMsMax });
  if (status !== 0) {
    rmSync(unfinished, { recursive: true, force: true });
    return { kind: 'missing', why: 'Maven could not fetch the jars of Kafka, see above' };
  }
  renameSync(unfinished, folder);
  return { kind: 'there', folder };
}

function isThere(command: string, argument: string): boolean {
  return spawnSync(command, [argument], { stdio: 'ignore' }).status === 0;
}
