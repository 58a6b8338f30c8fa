import { arrayOf, isObject, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { only, reduceTo } from '../../recording/file/shape.ts';
import { isSecret } from '../objects/confidential.ts';
import { forceFinalizeName } from '../objects/fieldManagers.ts';
import type { SecretMask } from './secretMask.ts';

/** Reduces objects to what is recorded of them: no values of Secrets, and nothing that no decision depends on. */
export interface ReduceObserved {
  application(object: unknown): JsonObject;
  resource(object: JsonObject): JsonObject;
}

const identifying = only(
  ...['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'deletionTimestamp', 'finalizers'],
);

export function reduceObserved(mask: SecretMask): ReduceObserved {
  function specOf(spec: unknown): unknown {
    if (!isObject(spec)) return spec;
    const { observerSchema, ...rest } = spec;
    const schema = observerSchema === undefined ? {} : { observerSchema: mask.schema(observerSchema) };
    return { ...objectOf(mask.object(rest)), ...schema };
  }

  /** With a manifest and its hash, a reader could guess and verify a short password. */
  function rowOf(value: unknown): unknown {
    if (!isObject(value)) return value;
    const { hash, initialised, drifts, ...row } = value;
    const isConfidential = isSecret({ group: String(row['group'] ?? ''), kind: String(row['kind']) });
    return {
      ...row,
      ...(typeof hash === 'string' ? { hash: mask.mark(hash) } : {}),
      ...(initialised === undefined ? {} : { initialised: isConfidential ? marksIn(initialised) : initialised }),
      ...(drifts === undefined || isConfidential ? {} : { drifts }),
    };
  }

  /** The values are JSON as text. */
  function marksIn(initialised: unknown): JsonObject {
    const marks = Object.entries(objectOf(initialised)).map(([path, text]) => [path, markOf(text)]);
    return Object.fromEntries(marks);
  }

  function markOf(text: unknown): unknown {
    try {
      const data: unknown = JSON.parse(String(text));
      return JSON.stringify(objectOf(mask.object({ kind: 'Secret', data }))['data']);
    } catch {
      // A value that is not JSON is ignored when it is read.
      return '';
    }
  }

  return {
    application(object) {
      const { apiVersion, kind, metadata, spec, status } = objectOf(object);
      const metadataFields = objectOf(metadata);
      const forced = reduceTo(only(forceFinalizeName), metadataFields['annotations']);
      const annotations = Object.keys(forced).length === 0 ? {} : { annotations: forced };
      const { resources, ...said } = objectOf(status);
      const rows = resources === undefined ? {} : { resources: arrayOf(resources).map(rowOf) };
      return {
        apiVersion,
        kind,
        metadata: { ...reduceTo(identifying, metadataFields), ...annotations },
        ...(spec === undefined ? {} : { spec: specOf(spec) }),
        ...(status === undefined
          ? {}
          : { status: { ...reduceTo(only('observedGeneration', 'conditions', 'resourcesInSync'), said), ...rows } }),
      };
    },
    resource(object) {
      const { status, ...rest } = object;
      // The status of a CustomResourceDefinition has whether its kind is served.
      const whole = object['kind'] === 'CustomResourceDefinition' ? object : rest;
      return objectOf(mask.object(whole));
    },
  };
}
