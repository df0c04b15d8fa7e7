// W3C Trace Context: the trace that a proposal belongs to, kept with the action and passed on downstream.
// It says nothing of what is asked: it is in no key and no hash of arguments, and what is malformed is
// ignored, never refused (https://www.w3.org/TR/trace-context/, sections 3.2 and 3.3).

export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

const characters = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const stateMembersMax = 32;
const stateCharactersMax = 512;
const stateMember =
  /^(?:[a-z][a-z\d_\-*/]{0,255}|[a-z\d][a-z\d_\-*/]{0,240}@[a-z][a-z\d_\-*/]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** @returns undefined where there is none that holds; the state alone is left out where it does not */
export function traceContextOf(
  traceparent: unknown,
  tracestate?: unknown,
): TraceContext | undefined {
  if (typeof traceparent !== 'string' || !isTraceparent(traceparent)) return undefined;
  const state = typeof tracestate === 'string' ? stateOf(tracestate) : undefined;
  return state === undefined ? { traceparent } : { traceparent, tracestate: state };
}

function isTraceparent(text: string): boolean {
  const [, version, trace = '', parent = '', , more] = characters.exec(text) ?? [];
  if (version === undefined || version === 'ff' || text.length > stateCharactersMax) return false;
  // A later version may say more; this one may not.
  if (version === '00' && more !== undefined) return false;
  return /[^0]/.test(trace) && /[^0]/.test(parent);
}

function stateOf(text: string): string | undefined {
  const members = text
    .split(',')
    .map((member) => member.replaceAll(/^[ \t]+|[ \t]+$/g, ''))
    .filter((member) => member !== '');
  const keys = members.map((member) => member.slice(0, member.indexOf('=')));
  const holds =
    members.length > 0 &&
    members.length <= stateMembersMax &&
    text.length <= stateCharactersMax &&
    members.every((member) => stateMember.test(member)) &&
    new Set(keys).size === keys.length;
  return holds ? members.join(',') : undefined;
}
