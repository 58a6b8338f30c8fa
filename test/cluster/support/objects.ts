import { z } from 'zod';

/** The parts of a Kubernetes object's metadata that tests read; other fields stay in the object. */
export const Metadata = z.looseObject({
  name: z.string(),
  namespace: z.string().optional(),
  uid: z.string(),
  resourceVersion: z.string(),
  labels: z.record(z.string(), z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
  creationTimestamp: z.string().optional(),
  deletionTimestamp: z.string().optional(),
  ownerReferences: z.array(z.looseObject({ kind: z.string(), name: z.string(), uid: z.string() })).optional(),
});

/** Any object of which only the metadata matters. */
export const KubeObject = z.looseObject({ kind: z.string().optional(), metadata: Metadata });
export type KubeObject = z.infer<typeof KubeObject>;

const Container = z.looseObject({ name: z.string(), image: z.string(), restartPolicy: z.string().optional() });

export const ContainerStatus = z.looseObject({
  name: z.string(),
  ready: z.boolean(),
  restartCount: z.number(),
  state: z.record(z.string(), z.unknown()).optional(),
});
export type ContainerStatus = z.infer<typeof ContainerStatus>;

export const Condition = z.looseObject({
  type: z.string(),
  status: z.string(),
  lastTransitionTime: z.string().nullish(),
});
export type Condition = z.infer<typeof Condition>;

/** A pod as the API server returns it. */
export const Pod = z.looseObject({
  metadata: Metadata,
  spec: z.looseObject({ containers: z.array(Container), initContainers: z.array(Container).optional() }),
  status: z.looseObject({
    phase: z.string().optional(),
    podIP: z.string().optional(),
    conditions: z.array(Condition).optional(),
    containerStatuses: z.array(ContainerStatus).optional(),
    initContainerStatuses: z.array(ContainerStatus).optional(),
  }),
});
export type Pod = z.infer<typeof Pod>;

export const ListMetadata = z.looseObject({ resourceVersion: z.string(), continue: z.string().optional() });

export const PodList = z.looseObject({ metadata: ListMetadata, items: z.array(Pod) });

export const EndpointSlice = z.looseObject({
  metadata: Metadata,
  addressType: z.string(),
  endpoints: z
    .array(
      z.looseObject({
        addresses: z.array(z.string()),
        conditions: z.looseObject({ ready: z.boolean().optional() }).optional(),
        targetRef: z.looseObject({ name: z.string().optional() }).optional(),
      }),
    )
    .nullish(),
});
export type EndpointSlice = z.infer<typeof EndpointSlice>;

export const EndpointSliceList = z.looseObject({ metadata: ListMetadata, items: z.array(EndpointSlice) });

/** A line of a watch: `object` is a Status when the type is `ERROR`. */
export const WatchEvent = z.object({ type: z.string(), object: z.looseObject({}) });
export type WatchEvent = z.infer<typeof WatchEvent>;

/** The Status object of a refusal. */
export const Status = z.looseObject({
  code: z.number(),
  reason: z.string().optional(),
  message: z.string().optional(),
});
