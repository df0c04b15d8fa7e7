// An explanation for a person: what makes the key, which action it meets, what would follow.
import { type Explanation } from '@action-ledger/application';
import {
  type CallOrigin,
  type EpochAnswer,
  type ActionGuarantee,
  type Scope,
} from '@action-ledger/domain';
import { type Cli } from '../cli.ts';
import { promises } from '../describe/action-text.ts';
import { printable, printableJson } from '../format/printable.ts';
import { type Fact, renderFacts } from '../format/facts.ts';
import { shortId } from '../ledger-file/find-action.ts';
import { type Field, type FieldRole } from './fields-of.ts';

export interface Explained {
  readonly explained: Explanation;
  readonly fields: readonly Field[];
  readonly request: { readonly tenant: string; readonly key?: string };
  readonly origin: CallOrigin;
}

export function renderExplanation({ style, io }: Cli, page: Explained): string {
  const { explained, fields, request } = page;
  const guarantee = explained.guarantee as ActionGuarantee;
  const facts: Fact[] = [
    ['tool', printable(`${explained.tool}, tenant ${request.tenant}`), style.bold],
    ['guarantee', `${guarantee}: ${promises[guarantee]}`],
    ['key', keyText(page)],
    ['call', callOf(page.origin)],
    ...fieldFacts(fields, explained.keyKind),
    ['key hash', explained.keyHash],
    ['args hash', `${explained.argumentsHash}  (identity and bound fields)`],
    ['meets', meetsText(explained)],
    ['follows', followsText(explained), style.bold],
  ];
  return renderFacts(facts, style, io.columns);
}

function keyText({ explained, request, origin }: Explained): string {
  if (explained.keyKind === 'caller')
    return printable(
      `the caller's own, ${request.key ?? ''}: one action in the tenant, whatever the tool`,
    );
  const scope = explained.scope as Scope;
  const values = scopeParts[scope].map((part) => origin[part] ?? '');
  const within = values.length === 0 ? 'the tenant' : `${scope} ${values.join(', ')}`;
  return printable(`derived from the identity, within ${within}`);
}

const scopeParts: { readonly [Name in Scope]: readonly (keyof CallOrigin)[] } = {
  call: ['run', 'turn', 'call'],
  turn: ['run', 'turn'],
  run: ['run'],
  conversation: ['conversation'],
  tenant: [],
};

/** It makes no key but in scope `call`; it tells a redelivery from a new call. */
function callOf({ call }: CallOrigin): string {
  return call === undefined ? 'no call id: counts as a redelivery' : printable(call);
}

const roleTexts: { readonly [Role in FieldRole]: string } = {
  identity: 'what the action is',
  bound: 'must be equal on a repeat',
  free: 'may be worded differently, the first wording wins',
};

function fieldFacts(fields: readonly Field[], keyKind: Explanation['keyKind']): readonly Fact[] {
  return (['identity', 'bound', 'free'] as const).flatMap((role): readonly Fact[] => {
    const having = fields.filter((field) => field.role === role);
    if (having.length === 0) return [];
    const isUnused = role === 'identity' && keyKind === 'caller';
    const meaning = isUnused ? "replaced by the caller's key; must be equal" : roleTexts[role];
    return [[role, [`${meaning}:`, ...having.map(fieldText)].join('\n')]];
  });
}

function fieldText({ path, value, compared }: Field): string {
  const how = compared.length === 0 ? '' : `  (${compared.join(', ')})`;
  const text = value === undefined ? 'not given' : printableJson(value);
  return `${printable(path)} = ${text}${how}`;
}

function meetsText({ epochs, meeting }: Explanation): string {
  if (epochs.length === 0) return 'nothing: no action has this key';
  return epochs
    .map(({ action, status, sameArguments }, epoch) => {
      const same = sameArguments ? 'same arguments' : 'other arguments';
      const met = epoch === meeting.epoch ? '  ← meets this one' : '';
      return `${shortId(action)}  ${status}, ${same}${met}`;
    })
    .join('\n');
}

const answerTexts: { readonly [Answer in EpochAnswer]: string } = {
  attach: 'attaches to the running action and gets its outcome; nothing runs again',
  duplicate: 'duplicate: gets the recorded outcome; nothing runs',
  reversed: 'redelivery: "done earlier, since reversed"; nothing runs',
  replaced: 'redelivery: "done earlier, since replaced"; nothing runs',
  'recorded ending': 'gets the recorded ending; nothing runs',
};

function followsText({ meeting, policy, approval, differs = [] }: Explanation): string {
  switch (meeting.kind) {
    case 'answer':
      return `${answerTexts[meeting.as]}${meeting.newCall ? ' (a new call for the same action)' : ''}`;
    case 'conflict': {
      const paths = differs.map(({ path, note }) =>
        note === undefined ? path : `${path} (${note})`,
      );
      return printable(
        `refused: the key was used for different arguments; what differs: ${paths.join(', ')}`,
      );
    }
    case 'exhausted':
      return "refused: ten epochs in a row ended without effect; only an operator's repeat goes on";
    case 'open': {
      const opened = meeting.epoch === 0 ? 'a new action' : `a new action, epoch ${meeting.epoch}`;
      if (policy === 'deny') return `${opened}, denied by the policy; nothing runs`;
      return approval ? `${opened}, waiting for approval` : `${opened}, planned and sent`;
    }
  }
}
