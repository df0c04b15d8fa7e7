// A program that carries its tools out itself, until it is killed: it calls each tool for each invoice, and
// waits.
import { createLedger } from '@action-ledger/client';
import { invoices, mortalTools, origin, type Told } from './mortal-caller.ts';

const told = JSON.parse(process.argv[2] ?? '') as Told;
const tools = mortalTools(told);
const ledger = await createLedger({ url: told.url, apiKey: 'ann', tools });
for (const { name } of tools)
  for (const invoice of invoices)
    void ledger.propose({ tool: name, arguments: { invoice }, origin });
