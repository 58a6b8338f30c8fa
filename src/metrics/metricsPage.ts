import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Registry } from 'prom-client';
import { accepts, type Page } from '../base/http.ts';

const compressed = promisify(gzip);

/** `/metrics`: the text format, or OpenMetrics and gzip if the client accepts them. */
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

/**
 * Converts the text format into OpenMetrics: the family of a counter is named without `_total`, there are no empty
 * lines, and the end is marked. prom-client's own OpenMetrics renames the metrics permanently, so that one registry can
 * serve only one of the formats.
 */
export function toOpenMetrics(text: string): string {
  const counters = new Set([...text.matchAll(/^# TYPE (\S+)_total counter$/gm)].map(([, family]) => family));
  const families = text.replace(/^(# (?:HELP|TYPE) )(\S+)_total /gm, (whole, begin: string, family: string) =>
    counters.has(family) ? `${begin}${family} ` : whole,
  );
  return `${families.replace(/\n{2,}/g, '\n').trimEnd()}\n# EOF\n`;
}
