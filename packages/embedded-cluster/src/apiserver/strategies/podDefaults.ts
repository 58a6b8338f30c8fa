import { arrayOf, type JsonObject, objectOf } from '../../base/json.ts';

const defaultMode = 420;

/** Returns the nested fields of a container with their defaults. */
export function containerParts(container: JsonObject): JsonObject {
  const { env, ports } = container;
  const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'].filter((name) => container[name] !== undefined);
  return {
    ...(env === undefined ? {} : { env: arrayOf(env).map(completeVariable) }),
    ...(ports === undefined ? {} : { ports: arrayOf(ports).map((port) => ({ protocol: 'TCP', ...objectOf(port) })) }),
    ...Object.fromEntries(probes.map((name) => [name, completeProbe(objectOf(container[name]))])),
  };
}

/** Sets the defaults of volumes. A volume without a source is an emptyDir. */
export function completeVolumes(volumes: unknown): readonly JsonObject[] {
  return arrayOf(volumes).map((volume) => {
    const { name, ...source } = objectOf(volume);
    const given = Object.keys(source).length === 0 ? { emptyDir: {} } : source;
    return {
      name,
      ...Object.fromEntries(Object.entries(given).map(([key, value]) => [key, completeSource(key, objectOf(value))])),
    };
  });
}

function completeSource(kind: string, source: JsonObject): JsonObject {
  if (kind === 'hostPath') return { type: '', ...source };
  const hasMode = ['configMap', 'secret', 'projected', 'downwardAPI'].includes(kind);
  return hasMode ? { ...source, defaultMode: source['defaultMode'] ?? defaultMode } : source;
}

function completeVariable(variable: unknown): JsonObject {
  const given = objectOf(variable);
  const { fieldRef } = objectOf(given['valueFrom']);
  if (fieldRef === undefined) return given;
  return { ...given, valueFrom: { fieldRef: { apiVersion: 'v1', ...objectOf(fieldRef) } } };
}

function completeProbe(probe: JsonObject): JsonObject {
  const { httpGet, grpc } = probe;
  return {
    ...probe,
    ...(httpGet === undefined ? {} : { httpGet: { path: '/', scheme: 'HTTP', ...objectOf(httpGet) } }),
    ...(grpc === undefined ? {} : { grpc: { service: '', ...objectOf(grpc) } }),
    timeoutSeconds: probe['timeoutSeconds'] || 1,
    periodSeconds: probe['periodSeconds'] || 10,
    successThreshold: probe['successThreshold'] || 1,
    failureThreshold: probe['failureThreshold'] || 3,
  };
}
