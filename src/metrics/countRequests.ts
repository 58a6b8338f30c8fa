import type { RequestOutcome } from '@weeder/kube-runtime/client';
import { limitedLabel, snakeCase } from './labels.ts';
import type { Metrics } from './metrics.ts';

const verbs = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' } as const;

/** Counts the requests to the API server by verb and resource. */
export function countRequests(metrics: Metrics): (event: RequestOutcome) => void {
  const resourceOf = limitedLabel(20);
  const codeOf = limitedLabel(40);
  return ({ method, path, isStream, outcome, durationMs }) => {
    const { resource: plural, name } = partsOf(path);
    const reading = isStream ? 'watch' : name === undefined ? 'list' : 'get';
    const verb = method === 'GET' ? reading : verbs[method];
    const resource = resourceOf(plural);
    metrics.requests.inc({ verb, resource, code: codeOf(snakeCase(String(outcome))) });
    metrics.requestDuration.observe({ verb, resource }, durationMs / 1000);
  };
}

/** `/api/v1/namespaces/a/pods/b/eviction`: the resource `pods/eviction` and the name `b`. */
export function partsOf(path: string): { readonly resource: string; readonly name: string | undefined } {
  const [, rest] = /^\/(?:api|apis\/[^/]+)\/[^/]+\/(.+)$/.exec(path) ?? [];
  // A path without a version is discovery.
  if (rest === undefined) return { resource: 'discovery', name: path };
  const scoped = /^namespaces\/[^/]+\/(.+)$/.exec(rest)?.[1] ?? rest;
  const [plural = '', name, subresource] = scoped.split('/');
  return { resource: subresource === undefined ? plural : `${plural}/${subresource}`, name };
}
