import { writeSync } from 'node:fs';

const named = /^(event (?:store|log) contract)(?: of publishing)?: (.*)$/;

/**
 * Says of each adapter what became of the contract of its port: how many tests passed or failed, or that they
 * were skipped and what would run them. A run without such a suite is told nothing.
 */
export default class ContractsReporter {
  onRunComplete(_contexts, results) {
    const adapters = new Map();
    for (const { ancestorTitles, status, title } of results.testResults.flatMap(testsOf)) {
      const [, contract, adapter] = named.exec(ancestorTitles[0] ?? '') ?? [];
      if (contract === undefined) continue;
      const key = `${contract}, ${adapter}`;
      const found = adapters.get(key) ?? { passed: 0, failed: 0, skipped: [] };
      adapters.set(key, found);
      if (status === 'passed') found.passed += 1;
      else if (status === 'failed') found.failed += 1;
      else found.skipped.push(title);
    }
    const lines = [...adapters].map(([key, found]) => `${key}: ${becameOf(found)}\n`);
    // Whole and at once, whatever is still buffered elsewhere.
    if (lines.length > 0) writeSync(1, lines.sort().join(''));
  }
}

const testsOf = ({ testResults }) => testResults;

function becameOf({ passed, failed, skipped }) {
  const counts = [
    passed > 0 ? `${passed} passed` : '',
    failed > 0 ? `${failed} failed` : '',
    skipped.length > 1 ? `${skipped.length} skipped` : '',
    skipped.length === 1 ? `skipped: ${skipped[0]}` : '',
  ];
  return counts.filter((text) => text !== '').join(', ');
}
