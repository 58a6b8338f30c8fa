import type { JsonObject } from '@weeder/kube-runtime/base';

/** Manifests with repeated list keys, and their errors; none if the API server accepts them. */
export interface RepeatedCase {
  readonly what: string;
  readonly object: JsonObject;
  /** Relative to `spec.manifests[0].`. */
  readonly errors: readonly string[];
}

const main = { name: 'main', image: 'registry.invalid/a:1' };
const places = (step: string, positions: string) => `${step} is at the positions ${positions}, and must be unique`;

function pod(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', ...metadata },
    spec: { containers: [main], ...spec },
  };
}

function service(...ports: readonly JsonObject[]): JsonObject {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { selector: { app: 'web' }, ports } };
}

export const repeatedCases: readonly RepeatedCase[] = [
  {
    what: 'a container’s name',
    object: pod({ containers: [main, { ...main, name: 'other' }, main] }),
    errors: [`spec.containers: the key ${places('name="main"', '0, 2')}`],
  },
  {
    what: 'a variable’s name, in each of two containers',
    object: pod({
      containers: ['one', 'two'].map((name) => ({
        ...main,
        name,
        env: [
          { name: 'A', value: '1' },
          { name: 'A', value: '1' },
          { name: 'B', value: '1' },
          { name: 'B', value: '2' },
        ],
      })),
    }),
    errors: [0, 1].flatMap((index) => [
      `spec.containers[${index}].env: the key ${places('name="A"', '0, 1')}`,
      `spec.containers[${index}].env: the key ${places('name="B"', '2, 3')}`,
    ]),
  },
  {
    what: 'a port, with its protocol said and not said',
    object: service({ name: 'a', port: 80 }, { name: 'b', port: 80, protocol: 'TCP' }),
    errors: [`spec.ports: the key ${places('port=80,protocol="TCP"', '0, 1')}`],
  },
  {
    what: 'the value of a set',
    object: pod({}, { finalizers: ['x.io/a', 'x.io/b', 'x.io/a'] }),
    errors: [`metadata.finalizers: the value ${places('"x.io/a"', '0, 2')}`],
  },
  {
    what: 'a port under two protocols',
    object: service({ name: 'a', port: 80, protocol: 'UDP' }, { name: 'b', port: 80 }),
    errors: [],
  },
  {
    what: 'what is in a list without keys',
    object: pod({
      containers: [{ ...main, args: ['-v', '-v'] }],
      tolerations: [{ key: 'a' }, { key: 'a' }],
    }),
    errors: [],
  },
];
