const text = { type: 'string' };

/** Objects with a name, a protocol and a size. */
const parts = {
  type: 'object',
  required: ['name'],
  properties: { name: text, protocol: { ...text, default: 'TCP' }, size: { type: 'integer' } },
};

/** A custom resource with a list of every kind, and with fields that a schema leaves open. */
export const gadgetDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.observer.example.org' },
  spec: {
    group: 'observer.example.org',
    names: { kind: 'Gadget', plural: 'gadgets' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  parts: {
                    type: 'array',
                    items: parts,
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name', 'protocol'],
                  },
                  tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
                  steps: { type: 'array', items: parts, 'x-kubernetes-list-type': 'atomic' },
                  plain: { type: 'array', items: parts },
                  options: { type: 'object', additionalProperties: text },
                  whole: { type: 'object', additionalProperties: text, 'x-kubernetes-map-type': 'atomic' },
                  open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  inner: {
                    type: 'object',
                    'x-kubernetes-embedded-resource': true,
                    'x-kubernetes-preserve-unknown-fields': true,
                  },
                  extra: { type: 'object', additionalProperties: text, default: { a: 'b', c: 'd' } },
                  port: { 'x-kubernetes-int-or-string': true },
                },
              },
            },
          },
        },
      },
    ],
  },
};
