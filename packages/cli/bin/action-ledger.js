#!/usr/bin/env node
// Starts the command on a Node that can run it: this one where it can, else the one that `npm ci`
// put into node_modules, else this one with the flags it needs. Works without a build: the packages
// are read from their sources. Plain JavaScript with built-ins only, so that any Node from 20 on gets
// as far as a clear message.
import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const needed = [22, 16];
const here = fileURLToPath(import.meta.url);
const packageRoot = dirname(dirname(here));
const hasSources = existsSync(join(packageRoot, 'src', 'index.ts'));
/** Set for the second process, which must not start a third. */
const restarted = process.env.ACTION_LEDGER_RESTARTED !== undefined;
delete process.env.ACTION_LEDGER_RESTARTED;

if (isNewEnough() && (!hasSources || readsTypeScript())) await runHere();
else if (restarted) giveUp(`Node ${process.versions.node} cannot run it`);
else restart();

function isNewEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > needed[0] || (major === needed[0] && minor >= needed[1]);
}

/** With the conditions set by a hook, or by the flag of a second process. */
function readsTypeScript() {
  if (!process.features.typescript) return false;
  return typeof module.registerHooks === 'function' || process.execArgv.includes(sourceFlag());
}

function sourceFlag() {
  return '--conditions=source';
}

async function runHere() {
  quietExperiments();
  keepCompiledCode();
  if (hasSources && !process.execArgv.includes(sourceFlag())) readSources();
  const entry = hasSources ? '../src/index.ts' : '../dist/index.js';
  const { runAsProcess } = await import(entry);
  const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));
  await runAsProcess(version);
}

/** node:sqlite and type stripping work, and their warnings would stand above every answer. */
function quietExperiments() {
  const emit = process.emitWarning;
  process.emitWarning = function emitWarning(warning, ...rest) {
    const type = typeof rest[0] === 'string' ? rest[0] : (rest[0]?.type ?? warning?.name);
    if (type !== 'ExperimentalWarning') emit.call(process, warning, ...rest);
  };
}

/** Beside the other caches of node_modules, or not at all: nothing is left anywhere else. */
function keepCompiledCode() {
  const modules = nearest('node_modules');
  if (modules === undefined || typeof module.enableCompileCache !== 'function') return;
  try {
    accessSync(modules, constants.W_OK);
    module.enableCompileCache(join(modules, '.cache', 'action-ledger'));
  } catch {
    // Read-only: it starts a little slower.
  }
}

/** Only for our own packages: others mean something else by a `source` condition. */
function readSources() {
  module.registerHooks({
    resolve: (specifier, context, next) =>
      specifier.startsWith('@action-ledger/')
        ? next(specifier, { ...context, conditions: ['source', ...context.conditions] })
        : next(specifier, context),
  });
}

function restart() {
  const pinned = nearest(
    join('node_modules', '.bin', process.platform === 'win32' ? 'node.exe' : 'node'),
  );
  if (pinned !== undefined && pinned !== process.execPath) start(pinned, []);
  else if (isNewEnough()) startThisOne();
  else giveUp(`this is Node ${process.versions.node}`);
}

function startThisOne() {
  const quiet = '--disable-warning=ExperimentalWarning';
  start(process.execPath, [sourceFlag(), '--experimental-strip-types', quiet]);
}

/** The second process has this one's terminal, and ends it the way it ended itself. */
function start(node, flags) {
  const child = spawn(node, [...flags, here, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, ACTION_LEDGER_RESTARTED: '1' },
  });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];
  // A terminal sends its signals to both processes; sent on once more, they would count twice.
  const fromTerminal = process.stdin.isTTY ? ['SIGINT', 'SIGQUIT'] : [];
  for (const signal of signals) {
    process.on(signal, () => {
      if (!fromTerminal.includes(signal)) child.kill(signal);
    });
  }
  child.on('error', (error) => {
    // Of another platform, perhaps: node_modules may have been copied here.
    if (node !== process.execPath && isNewEnough()) startThisOne();
    else giveUp(`${node} could not be started (${error.message})`);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) {
      process.exitCode = code;
      return;
    }
    for (const each of signals) process.removeAllListeners(each);
    process.kill(process.pid, signal);
  });
}

/** In the folder of this file or one above it. */
function nearest(name) {
  for (let folder = packageRoot; ; folder = dirname(folder)) {
    const path = join(folder, name);
    if (existsSync(path)) return path;
    if (folder === dirname(folder)) return undefined;
  }
}

function giveUp(why) {
  process.exitCode = 1;
  console.error(
    `action-ledger needs Node ${needed.join('.')} or newer: ${why}, and no other was found.\n` +
      '  fix: run `npm ci` in the repository (it brings a Node of its own), or install a newer Node.',
  );
}
