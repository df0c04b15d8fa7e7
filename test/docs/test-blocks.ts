// One test per block of a page, in the order of the page: later blocks need what earlier ones left.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Block, type Page } from './pages.ts';
import {
  createPlayground,
  type Playground,
  purposeOf,
  type Ran,
  runMsMax,
  withoutChance,
} from './run-blocks.ts';

export function testBlocks({ path, blocks }: Page): void {
  if (blocks.length === 0) return;
  describe(`the blocks of ${path}`, () => {
    let playground: Playground;
    const runs = new Map<string, Ran>();
    beforeAll(async () => {
      playground = await createPlayground();
    });
    afterAll(() => playground.close());
    it.each(blocks)('$name', (block) => perform(block, playground, runs), runMsMax + 10_000);
  });
}

async function perform(
  block: Block,
  playground: Playground,
  runs: Map<string, Ran>,
): Promise<void> {
  const purpose = purposeOf(block);
  switch (purpose.kind) {
    case 'file':
      playground.write(purpose.file, block.text);
      return;
    case 'run': {
      expect(runs.has(purpose.run)).toBe(false);
      const ran = await playground.run(block.text, purpose);
      runs.set(purpose.run, ran);
      const wanted = Number(block.options['exit'] ?? 0);
      expect(ran).toEqual({ output: ran.output, exitCode: wanted });
      return;
    }
    case 'output': {
      const ran = runs.get(purpose.of);
      if (ran === undefined) throw new Error(`${block.name}: nothing was run as ${purpose.of}`);
      expect(withoutChance(ran.output)).toBe(withoutChance(block.text));
      return;
    }
    case 'picture':
  }
}
