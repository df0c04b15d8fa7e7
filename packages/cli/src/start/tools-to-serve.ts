// What `action-ledger start` serves: the tools of modules and tool files; or, as a sandbox, those of recorded calls,
// which call the provider of `action-ledger play --url` and nothing else.
import { type Runtime } from '@action-ledger/runtime';
import { connectProvider, sandboxTools } from '@action-ledger/sandbox';
import { createToolSet, defineTool, type ToolSet } from '@action-ledger/tools';
import { usageError } from '../cli-error.ts';
import { type Io } from '../io.ts';
import { loadTools } from '@action-ledger/process';
import { readToolsIn } from '../play/play-files.ts';
import { asCliError } from '../play/trace-error.ts';
import { createUnhurriedRuntime } from '../play/unhurried-runtime.ts';

export interface ToolsOptions {
  /** Modules and tool files. */
  readonly tools?: readonly string[];
  /** Folders of `<domain>.json`. */
  readonly sandbox?: readonly string[];
  /** Where the sandbox's tools send. */
  readonly provider: string;
}

export interface Serving {
  readonly tools: ToolSet;
  readonly runtime: Runtime;
  /** Undefined: real tools. */
  readonly provider: string | undefined;
  readonly close: () => void;
}

/** @throws CliError */
export async function toolsToServe(options: ToolsOptions, { runtime, env }: Io): Promise<Serving> {
  const { tools: module, sandbox, provider: url } = options;
  if ((module === undefined) === (sandbox === undefined))
    throw usageError('it has to be known which tools are served', fix);
  if (sandbox === undefined) {
    const tools = await loadTools(module ?? [], env);
    return { tools, runtime, provider: undefined, close: () => undefined };
  }
  const provider = connectProvider(url);
  const declared = await readToolsIn(sandbox).catch((error: unknown) => {
    throw asCliError(error);
  });
  return {
    tools: createToolSet(sandboxTools(declared, provider).map((tool) => defineTool(tool))),
    // The sandbox's deadlines are short: a busy machine must not be what lets one pass.
    runtime: createUnhurriedRuntime(runtime),
    provider: url,
    close: () => {
      provider.close();
    },
  };
}

const fix =
  'name either a module or tool file of yours with --tools, or a catalogue of recorded calls with --sandbox.';
