import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';

/** What another client has written into the live object of a manifest. */
export interface HostileLive {
  readonly fields: readonly (UnobservedField | ObservedField)[];
  readonly length: number;
  readonly character: string;
}

/** Fields that the manifest does not have, and weeder does not compare. */
export const unobservedFields = ['annotation', 'condition', 'manager', 'owner', 'variable', 'volume', 'text'] as const;
type UnobservedField = (typeof unobservedFields)[number];

/** Fields whose change is drift. */
export const observedFields = ['image', 'arguments', 'note', 'container', 'selectedNode'] as const;
type ObservedField = (typeof observedFields)[number];

/** A Deployment with fields of each kind: texts, a list as a whole, a list with keys, and maps. */
export function manifestOf(number: number): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: `web-${number}`, namespace: 'shop', annotations: { note: 'text' } },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          nodeSelector: { zone: 'a' },
          containers: [{ name: 'main', image: 'web', args: ['serve'], env: [{ name: 'A', value: 'b' }] }],
        },
      },
    },
  };
}

type Change = (text: string, object: JsonObject) => JsonObject;

const inMetadata =
  (change: (text: string, metadata: JsonObject) => JsonObject): Change =>
  (text, object) => {
    const metadata = objectOf(object['metadata']);
    return { ...object, metadata: { ...metadata, ...change(text, metadata) } };
  };

const inPodSpec =
  (change: (text: string, spec: JsonObject, main: JsonObject) => JsonObject): Change =>
  (text, object) => {
    const spec = objectOf(object['spec']);
    const template = objectOf(spec['template']);
    const podSpec = objectOf(template['spec']);
    const [main] = arrayOf(podSpec['containers']).map(objectOf);
    const changed = { ...podSpec, ...change(text, podSpec, main ?? {}) };
    return { ...object, spec: { ...spec, template: { ...template, spec: changed } } };
  };

const changes: Readonly<Record<UnobservedField | ObservedField, Change>> = {
  annotation: inMetadata((text, { annotations }) => ({ annotations: { ...objectOf(annotations), other: text } })),
  note: inMetadata((text, { annotations }) => ({ annotations: { ...objectOf(annotations), note: text } })),
  manager: inMetadata((text, { managedFields }) => ({
    managedFields: [
      ...arrayOf(managedFields),
      { manager: text, operation: 'Update', fieldsV1: { [`f:${text}`]: {} }, fieldsType: 'FieldsV1' },
    ],
  })),
  owner: inMetadata((text) => ({ ownerReferences: [{ apiVersion: 'v1', kind: text, name: text, uid: text }] })),
  condition: (text, object) => ({ ...object, status: { conditions: [{ type: text, status: 'True', message: text }] } }),
  text: (text, object) => ({ ...object, spec: { ...objectOf(object['spec']), other: text, [text]: [text] } }),
  volume: inPodSpec((text) => ({ volumes: [{ name: text, secret: { secretName: text } }] })),
  variable: inPodSpec((text, _spec, main) => ({
    containers: [{ ...main, workingDir: text, resources: { limits: { cpu: text } } }],
  })),
  image: inPodSpec((text, _spec, main) => ({ containers: [{ ...main, image: text }] })),
  arguments: inPodSpec((text, _spec, main) => ({ containers: [{ ...main, args: ['serve', text, text] }] })),
  selectedNode: inPodSpec((text) => ({ nodeSelector: { zone: text } })),
  container: inPodSpec((text, { containers }) => ({
    containers: [...arrayOf(containers), { name: text, image: text }],
  })),
};

/** The same object with long texts in these fields. */
export function hostileLive(object: JsonObject, { fields, length, character }: HostileLive): JsonObject {
  const text = character.repeat(length);
  return fields.reduce((changed, field) => changes[field](text, changed), object);
}
