import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { listen } from '@weeder/kube-runtime/testing';
import { type ReceivedMetrics, type ReceivedSpan, readMetrics, readSpans } from './otlp.ts';

/** A server that speaks OTLP, and keeps what it has accepted. */
export type Collector = Awaited<ReturnType<typeof collector>>;
type Mode = 'accepts' | 'fails' | 'isBusy' | 'hangs';

export async function collector() {
  const requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
  const [spans, metrics]: [ReceivedSpan[], ReceivedMetrics[]] = [[], []];
  const server = createServer(async (request, response) => {
    const { url: path = '', headers } = request;
    const body = await buffer(request);
    requests.push({ path, headers });
    if (own.mode === 'hangs') return;
    if (own.mode === 'accepts') {
      const data = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
      if (path === '/v1/traces') spans.push(...readSpans(data));
      if (path === '/v1/metrics') metrics.push(readMetrics(data));
    }
    response.writeHead({ accepts: 200, fails: 500, isBusy: 503 }[own.mode], {
      'content-type': 'application/x-protobuf',
    });
    response.end();
  });
  const own = {
    url: `http://127.0.0.1:${await listen(server)}`,
    /** `fails`: 500. `isBusy`: 503. `hangs`: no answer. */
    mode: 'accepts' as Mode,
    /** All requests, with those that were not accepted. */
    requests,
    spans,
    /** The newest last. */
    metrics,
    traces: () => tracesIn(spans),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return own;
}

/** The traces as lines: each span indented below its parent. */
export function tracesIn(spans: readonly ReceivedSpan[]): string[][] {
  const roots = spans.filter(({ parent }) => parent === '');
  return roots.map((root) => linesOf(root, spans));
}

function linesOf(span: ReceivedSpan, all: readonly ReceivedSpan[]): string[] {
  const children = all.filter(({ trace, parent }) => trace === span.trace && parent === span.id);
  const { attributes } = span;
  const words = [
    span.name,
    attributes['k8s.pod.name'],
    attributes['weeder.result'],
    span.isError ? '(error)' : undefined,
  ];
  return [
    words.filter((word) => word !== undefined).join(' '),
    ...children.flatMap((child) => linesOf(child, all)).map((line) => `  ${line}`),
  ];
}
