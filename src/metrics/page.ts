import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Registry } from 'prom-client';
import { accepts } from '../base/acceptHeader.ts';
import type { Page } from '../base/httpAnswer.ts';
import { toOpenMetrics } from './openMetrics.ts';

const compressed = promisify(gzip);

/** `/metrics`: the text format, or OpenMetrics for who accepts that; gzipped for who accepts it. */
export function metricsPage(registry: Registry, update: () => void): Page {
  return async (_url, request, response) => {
    update();
    const text = await registry.metrics();
    const isOpen = accepts(request, 'accept', 'application/openmetrics-text');
    const isZipped = accepts(request, 'accept-encoding', 'gzip');
    const plain = isOpen ? toOpenMetrics(text) : text;
    const body = isZipped ? await compressed(plain) : Buffer.from(plain);
    response.writeHead(200, {
      'content-type': isOpen ? Registry.OPENMETRICS_CONTENT_TYPE : Registry.PROMETHEUS_CONTENT_TYPE,
      'content-length': body.length,
      'cache-control': 'no-store',
      vary: 'accept, accept-encoding',
      ...(isZipped ? { 'content-encoding': 'gzip' } : {}),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
}
