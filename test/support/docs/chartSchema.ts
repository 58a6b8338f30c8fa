import { configJsonSchema } from '../../../src/config/schema/reference.ts';

const text = { type: 'string' };
const flag = { type: 'boolean' };
const list = (items: object) => ({ type: 'array', items });
const word = (...allowed: readonly string[]) => ({ type: 'string', enum: allowed });
/** A number, or an empty text for the default. */
const optional = (minimum: number) => ({ type: ['integer', 'string'], minimum, maxLength: 0 });
const texts = { type: 'object', additionalProperties: text };
const name = { ...text, pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$' };
const interval = { ...text, pattern: '^([0-9]+(ms|s|m|h))*$' };
/** A named part of a pod, such as a volume. */
const part = { type: 'object', properties: { name: { ...text, minLength: 1 } }, required: ['name'] };
const securityContext = { type: 'object', properties: { runAsUser: optional(0), runAsGroup: optional(0) } };
/** An object of Kubernetes, which the API server validates. */
const anyObject = { type: 'object' };

function section(properties: Readonly<Record<string, object>>): object {
  return { type: 'object', properties, additionalProperties: false };
}

/** Limits the length of a name. The regular expressions of Go, and so of Helm, have no lookahead. */
const lookahead = /\(\?=[^)]*\)/g;

const namespaceNames = { ...list({ ...text, pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$' }), uniqueItems: true };

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
      replicas: optional(1),
      podDisruptionBudget: section({ enabled: flag }),
      topologySpread: section({ enabled: flag }),
      revisionHistoryLimit: optional(0),
      namespaces: namespaceNames,
      namespaceSelector: text,
      exceptNamespaces: namespaceNames,
      weeding: flag,
      evict: flag,
      evidence: flag,
      podCreation: flag,
      restartControl: section({
        enabled: flag,
        sources: word('all', 'configMaps', 'named'),
        recreateJobs: flag,
        workloadKinds: list({ ...section({ group: name, resource: name }), required: ['group', 'resource'] }),
      }),
      observer: section({ enabled: flag, impersonate: word('all', 'named'), secrets: flag, roles: flag }),
      extraRules: list(anyObject),
      networkPolicy: section({
        enabled: flag,
        apiServerPorts: { ...list({ type: 'integer', minimum: 1, maximum: 65_535 }), minItems: 1 },
        extraEgress: list(anyObject),
      }),
      metricsSecure: flag,
      podMonitor: section({ enabled: flag, labels: texts, interval }),
      serviceMonitor: section({ enabled: flag, labels: texts, interval }),
      prometheusRule: section({ enabled: flag, labels: texts, interval }),
      grafanaDashboard: section({ enabled: flag }),
      livePage: flag,
      dryRun: flag,
      record: section({
        enabled: flag,
        limit: { ...text, pattern: '^([0-9]+(Ki|Mi|Gi|k|M|G)?)?$' },
        volume: anyObject,
      }),
      args: list(text),
      extraEnv: list(part),
      extraVolumes: list(part),
      extraVolumeMounts: list({ ...part, required: ['name', 'mountPath'] }),
      podSecurityContext: securityContext,
      securityContext,
      resources: anyObject,
      nodeOptions: text,
      priorityClass: section({ enabled: flag }),
      priorityClassName: text,
      nodeSelector: texts,
      tolerations: list(anyObject),
      affinity: anyObject,
      podAnnotations: texts,
      podLabels: texts,
      commonLabels: texts,
      serviceAccount: section({ create: flag, name: text, annotations: texts }),
      nameOverride: { ...text, pattern: '^([a-z0-9]([-a-z0-9]{0,28}[a-z0-9])?)?$' },
      fullnameOverride: { ...text, pattern: '^([a-z0-9]([-a-z0-9]{0,50}[a-z0-9])?)?$' },
      component: { ...text, pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$' },
    }),
  };
}
