import { arrayOf, isObject, type JsonObject, objectOf } from '../../base/json.ts';
import { isSecret } from '../../observer/model/confidential.ts';
import { forceFinalizeName } from '../../observer/model/fieldManagers.ts';
import { pick } from '../file/pick.ts';
import type { SecretMask } from './secretMask.ts';

/** Objects as a recording keeps them: without values of Secrets, and without what nothing is decided by. */
export interface ReduceObserved {
  application(object: unknown): JsonObject;
  resource(object: JsonObject): JsonObject;
}

const identifying = ['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'deletionTimestamp', 'finalizers'];

export function reduceObserved(mask: SecretMask): ReduceObserved {
  function specOf(spec: unknown): unknown {
    if (!isObject(spec)) return spec;
    const { observerSchema, ...rest } = spec;
    const schema = observerSchema === undefined ? {} : { observerSchema: mask.schema(observerSchema) };
    return { ...objectOf(mask.object(rest)), ...schema };
  }

  /** With a manifest and its hash beside each other a short password could be guessed. */
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

  /** The values are JSON, as text. */
  function marksIn(initialised: unknown): JsonObject {
    const marks = Object.entries(objectOf(initialised)).map(([path, text]) => [path, markOf(text)]);
    return Object.fromEntries(marks);
  }

  function markOf(text: unknown): unknown {
    try {
      const data: unknown = JSON.parse(String(text));
      return JSON.stringify(objectOf(mask.object({ kind: 'Secret', data }))['data']);
    } catch {
      // What is no JSON is passed over when it is read.
      return '';
    }
  }

  return {
    application(object) {
      const { apiVersion, kind, metadata, spec, status } = objectOf(object);
      const its = objectOf(metadata);
      const forced = pick(objectOf(its['annotations']), [forceFinalizeName]);
      const annotations = Object.keys(forced).length === 0 ? {} : { annotations: forced };
      const { resources, ...said } = objectOf(status);
      const rows = resources === undefined ? {} : { resources: arrayOf(resources).map(rowOf) };
      return {
        apiVersion,
        kind,
        metadata: { ...pick(its, identifying), ...annotations },
        ...(spec === undefined ? {} : { spec: specOf(spec) }),
        ...(status === undefined ? {} : { status: { ...pick(said, ['observedGeneration', 'conditions']), ...rows } }),
      };
    },
    resource(object) {
      const { status, ...rest } = object;
      // Of a definition it says whether its kind is served.
      const whole = object['kind'] === 'CustomResourceDefinition' ? object : rest;
      return objectOf(mask.object(whole));
    },
  };
}
