// What broke, as an answer: the server's own complaints and faults of the store by their codes, and
// everything else as a bug, of which the caller learns nothing but that it was one.
import { type ServerResponse, STATUS_CODES } from 'node:http';
import { type Duplex } from 'node:stream';
import { type FastifyRequest } from 'fastify';
import { type HttpAnswer, problem, problemMediaType, Refused } from './answers/http-answer.ts';
import { isProblemCode, type ProblemCode, problems } from './answers/problems.ts';
import { type Logger } from './logger.ts';

const ofServer: Readonly<Record<string, ProblemCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'request.too-large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'request.media-type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'request.malformed',
  FST_ERR_BAD_URL: 'request.malformed',
  FST_ERR_MAX_PARAM_LENGTH: 'route.unknown',
  ECONNRESET: 'request.malformed',
};

export function answerFault(error: unknown, request: FastifyRequest, logger: Logger): HttpAnswer {
  if (error instanceof Refused) return error.answer;
  const code = codeOf(error);
  const known = code === undefined ? undefined : ofServer[code];
  if (known !== undefined) return problem(known);
  const route = request.routeOptions.url ?? '';
  if (isProblemCode(code) && [413, 503].includes(problems[code].status)) {
    logger.warn({ fault: error, route }, 'the ledger could not be used');
    return problem(code);
  }
  logger.error({ fault: error, route }, 'a request met a bug');
  return problem('gateway.bug');
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

const ofSocket: Readonly<Record<string, ProblemCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request.timeout',
  HPE_HEADER_OVERFLOW: 'request.headers-too-large',
};

/** What is being answered on each connection. */
type Answering = WeakMap<Duplex, ServerResponse>;

/** Before there is a request: what arrived is no HTTP, or arrived too slowly. */
export function answerSocketFault(
  error: Error & { readonly code?: string },
  socket: Duplex,
  answering: Answering,
): void {
  const response = answering.get(socket);
  // In the midst of an answer another one would be taken for its rest.
  const isMidst = response?.headersSent === true && !response.writableFinished;
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable || isMidst) {
    socket.destroy();
    return;
  }
  const { status, body } = problem(ofSocket[error.code ?? ''] ?? 'request.malformed');
  const text = JSON.stringify(body);
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      `Content-Type: ${problemMediaType}`,
      `Content-Length: ${Buffer.byteLength(text)}`,
      'Cache-Control: no-store',
      'Connection: close',
      '',
      text,
    ].join('\r\n'),
  );
}
