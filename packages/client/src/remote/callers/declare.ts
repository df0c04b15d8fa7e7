// Tells the ledger which tools this program carries out: all of them before the first is called, and again
// where the ledger does not know one any more.
import { type JsonObject, type Refusal } from '@action-ledger/domain';
import { callerDeclaration, RegistrationRefused, type Tool } from '@action-ledger/tools';
import { type Ask } from '../ask.ts';
import { refusalOf, thrownFor, unreadable } from '../read-answer.ts';

/**
 * @returns the tenant whose they are
 * @throws ToolDeclarationError `tool.caller` one says something that only code can say
 * @throws RegistrationRefused
 * @throws RemoteFault, StoreFault
 */
export async function declareTools(ask: Ask, tools: readonly Tool[]): Promise<string> {
  let tenant = '';
  for (const part of partsOf(tools.map((tool) => callerDeclaration(tool)))) {
    const told = await ask({ method: 'POST', path: 'v1/tools', body: { tools: part } });
    if (told.kind === 'fault') throw thrownFor(told);
    if (told.kind === 'problem') {
      // Saying it twice is saying it once.
      const refused: Refusal = refusalOf({ ...told, inDoubt: false });
      throw new RegistrationRefused(refused);
    }
    const { tenant: whose } = told.body;
    if (typeof whose !== 'string') throw unreadable();
    tenant = whose;
  }
  return tenant;
}

/** As much as a ledger takes at once. */
const toolsAtOnce = 64;
/** UTF-16 units. */
const sizeAtOnce = 200_000;

function partsOf(declarations: readonly JsonObject[]): readonly (readonly JsonObject[])[] {
  const parts: JsonObject[][] = [];
  let size = Infinity;
  for (const declaration of declarations) {
    const own = JSON.stringify(declaration).length;
    if (size + own > sizeAtOnce || (parts.at(-1)?.length ?? 0) >= toolsAtOnce) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(declaration);
    size += own;
  }
  return parts;
}
