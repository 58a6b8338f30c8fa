import { configJsonSchema } from '../../../src/config/schema/reference.ts';

const text = { type: 'string' };
const flag = { type: 'boolean' };
const list = (items: object) => ({ type: 'array', items });
const word = (...allowed: readonly string[]) => ({ type: 'string', enum: allowed });
/** An object of Kubernetes, which the API server validates. */
const anyObject = { type: 'object' };

function section(properties: Readonly<Record<string, object>>): object {
  return { type: 'object', properties, additionalProperties: false };
}

/** Limits the length of a name. The regular expressions of Go, and so of Helm, have no lookahead. */
const lookahead = /\(\?=[^)]*\)/g;

/** The JSON Schema of the chart's values, with that of the config, so that Helm refuses what weeder would refuse. */
export function chartValuesSchema(): object {
  const { $schema, $id: _, ...config } = configJsonSchema();
  const withoutLookahead: object = JSON.parse(JSON.stringify(config), (key, value) =>
    key === 'pattern' ? String(value).replace(lookahead, '') : value,
  );
  return {
    $schema,
    title: 'The values of the chart of weeder',
    ...section({
      // Helm passes the values that a parent chart shares.
      global: anyObject,
      config: withoutLookahead,
      declarations: flag,
      image: section({
        repository: { ...text, minLength: 1 },
        tag: text,
        digest: { ...text, pattern: '^(sha256:[0-9a-f]{64})?$' },
        pullPolicy: word('', 'Always', 'IfNotPresent', 'Never'),
      }),
      imagePullSecrets: list(anyObject),
      mode: word('single', 'highlyAvailable', 'sharded'),
      shards: { type: 'integer', minimum: 1 },
      namespaces: { ...list({ ...text, pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$' }), uniqueItems: true },
      weeding: flag,
      evict: flag,
      evidence: flag,
      podCreation: flag,
      restartControl: section({
        enabled: flag,
        sources: word('all', 'configMaps', 'named'),
        recreateJobs: flag,
      }),
      observer: section({ enabled: flag, impersonate: word('all', 'named'), secrets: flag, roles: flag }),
      extraRules: list(anyObject),
      networkPolicy: section({ enabled: flag }),
      metricsSecure: flag,
      podMonitor: section({ enabled: flag }),
      serviceMonitor: section({ enabled: flag }),
      prometheusRule: section({ enabled: flag }),
      grafanaDashboard: section({ enabled: flag }),
      livePage: flag,
      args: list(text),
      resources: anyObject,
      nodeOptions: text,
      priorityClass: section({ enabled: flag }),
      priorityClassName: text,
      nodeSelector: { ...anyObject, additionalProperties: text },
      tolerations: list(anyObject),
      affinity: anyObject,
      podAnnotations: { ...anyObject, additionalProperties: text },
      fullnameOverride: { ...text, pattern: '^([a-z0-9]([-a-z0-9]{0,50}[a-z0-9])?)?$' },
      component: { ...text, pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$' },
    }),
  };
}
