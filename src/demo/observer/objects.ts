import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';

/** The namespace of the application. */
export const home = 'shop';
export const applicationName = 'nginx';

/** The whole config. */
export const configText = 'observer: {}\n';

export const firstImage = 'nginx:1.27';
export const nextImage = 'nginx:1.29';

const labels = { app: 'nginx' };

const anything: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** The parts of the definition that the demo needs; the complete one is in deploy/. */
export const definition: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'applications.weeder.dev' },
  spec: {
    group: 'weeder.dev',
    scope: 'Namespaced',
    names: { kind: 'Application', listKind: 'ApplicationList', plural: 'applications', singular: 'application' },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } },
      },
    ],
  },
};

/** A Deployment and a Service, of which only some fields are observed. */
export function application(image: string): JsonObject {
  return {
    apiVersion: 'weeder.dev/v1alpha1',
    kind: 'Application',
    metadata: { name: applicationName, namespace: home },
    spec: { manifests: manifestsWith(image), observerSchema },
  };
}

/** Its manifests with this image. */
export function manifestsWith(image: string): readonly JsonObject[] {
  const container = { name: 'nginx', image, ports: [{ containerPort: 80 }] };
  const template = { metadata: { labels }, spec: { containers: [container] } };
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: applicationName, labels },
      spec: { replicas: 2, selector: { matchLabels: labels }, template },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: applicationName, labels },
      spec: { selector: labels, ports: [{ port: 80, targetPort: 80 }] },
    },
  ];
}

/** Exactly the listed elements. */
function exactly(length: number): JsonObject {
  return { observer_schema_list_min_length: length, observer_schema_list_max_length: length };
}

const observed = 'observed';
const container = { name: observed, image: observed };

/** Users and autoscalers may change the replicas and labels other than `app`. */
const observerSchema: readonly JsonObject[] = [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: applicationName, labels: { app: observed } },
    spec: { template: { spec: { containers: [container, exactly(1)] } } },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: applicationName, labels: { app: observed } },
    spec: { selector: { app: observed }, ports: [{ port: observed, targetPort: observed }, exactly(1)] },
  },
];

/** The images of a Deployment's containers, in order. */
export function imagesOf(deployment: JsonObject | undefined): readonly unknown[] {
  const template = objectOf(objectOf(deployment?.['spec'])['template']);
  return arrayOf(objectOf(template['spec'])['containers']).map((each) => objectOf(each)['image']);
}

export function replicasOf(deployment: JsonObject | undefined): unknown {
  return objectOf(deployment?.['spec'])['replicas'];
}

export function labelsOf(object: JsonObject | undefined): JsonObject {
  return objectOf(objectOf(object?.['metadata'])['labels']);
}
