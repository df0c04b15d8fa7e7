// Just enough of HTTP/1.1 (RFC 9112) for one side of a keep-alive connection on the loopback: a
// head, Content-Length, a body in ASCII. node:http costs as much CPU per call as what is measured here.

export interface Frame {
  /** Start line and header lines. */
  readonly head: string;
  readonly body: string;
}

/** Returns a function to be fed with what arrives; calls back once per complete message. */
export function createFrameReader(onFrame: (frame: Frame) => void): (chunk: string) => void {
  let pending = '';
  return (chunk) => {
    pending += chunk;
    for (;;) {
      const headEnd = pending.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const head = pending.slice(0, headEnd);
      const bodyStart = headEnd + 4;
      const bodyEnd = bodyStart + Number(header(head, 'content-length') ?? 0);
      if (pending.length < bodyEnd) return;
      const body = pending.slice(bodyStart, bodyEnd);
      pending = pending.slice(bodyEnd);
      onFrame({ head, body });
    }
  };
}

/** `name` in lower case, as both sides of the bench write it. */
export function header(head: string, name: string): string | undefined {
  const start = head.indexOf(`\r\n${name}: `);
  if (start < 0) return undefined;
  const from = start + name.length + 4;
  const end = head.indexOf('\r\n', from);
  return end < 0 ? head.slice(from) : head.slice(from, end);
}

export function writeFrame(startLine: string, headers: readonly string[], body: string): string {
  const lines = [startLine, ...headers, `content-length: ${body.length}`];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
