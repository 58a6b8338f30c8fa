import { arrayOf, type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { parseAllDocuments } from 'yaml';
import type { Cluster } from '../plane/access.ts';
import { minorVersion } from '../plane/apiServerVersion.ts';

const pod = `
      containers: [{name: web, image: "registry.invalid/web:1", ports: [{containerPort: 80}]}]`;
const template = `template:
    metadata: {labels: {app: NAME}}
    spec:${pod}`;

/** One object of each kind, as a person may write it; NAME stands for a name, NS for a namespace. */
const texts = `
apiVersion: v1
kind: ConfigMap
metadata: {name: NAME, labels: {app: NAME}}
data: {a: "1"}
binaryData: {b: aGk=}
---
apiVersion: v1
kind: Endpoints
metadata: {name: NAME-manual}
subsets: [{addresses: [{ip: 10.1.2.3}], ports: [{port: 80}]}]
---
apiVersion: v1
kind: Event
metadata: {name: NAME}
involvedObject: {apiVersion: v1, kind: ConfigMap, name: NAME, namespace: NS}
reason: Tried
message: it was tried
type: Normal
---
apiVersion: v1
kind: LimitRange
metadata: {name: NAME}
spec: {limits: [{type: Container, max: {cpu: "4"}}]}
---
apiVersion: v1
kind: Namespace
metadata: {name: NAME, labels: {team: web}}
---
apiVersion: v1
kind: Node
metadata: {name: NAME}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: NAME}
spec: {accessModes: [ReadWriteOnce], storageClassName: NAME, resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: NAME}
spec:
  accessModes: [ReadWriteOnce]
  capacity: {storage: 1Gi}
  storageClassName: NAME
  persistentVolumeReclaimPolicy: Retain
  hostPath: {path: /tmp/NAME}
---
apiVersion: v1
kind: Pod
metadata: {name: NAME}
spec:${pod}
---
apiVersion: v1
kind: PodTemplate
metadata: {name: NAME}
${template.replaceAll('\n  ', '\n')}
---
apiVersion: v1
kind: ReplicationController
metadata: {name: NAME}
spec:
  replicas: 1
  selector: {app: NAME}
  ${template}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: NAME}
spec: {hard: {configmaps: "100"}}
---
apiVersion: v1
kind: Secret
metadata: {name: NAME}
stringData: {a: text}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: NAME}
---
apiVersion: v1
kind: Service
metadata: {name: NAME}
spec: {selector: {app: NAME}, ports: [{port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: NAME-ports}
spec: {type: LoadBalancer, externalTrafficPolicy: Local, selector: {app: NAME}, ports: [{name: a, port: 80}, {name: b, port: 81}]}
---
apiVersion: v1
kind: Service
metadata: {name: NAME-headless}
spec: {clusterIP: None, selector: {app: NAME}, ports: [{port: 80}]}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.NAME.example.org}
spec: {group: NAME.example.org, version: v1, groupPriorityMinimum: 100, versionPriority: 100}
---
apiVersion: apps/v1
kind: ControllerRevision
metadata: {name: NAME}
revision: 1
data: {a: b}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: NAME}
spec:
  selector: {matchLabels: {app: NAME}}
  ${template}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME}
spec:
  replicas: 2
  selector: {matchLabels: {app: NAME}}
  ${template}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: NAME}
spec:
  replicas: 1
  selector: {matchLabels: {app: NAME, of: replicas}}
  ${template.replace('app: NAME}', 'app: NAME, of: replicas}')}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: NAME}
spec:
  serviceName: NAME
  selector: {matchLabels: {app: NAME}}
  volumeClaimTemplates:
    - metadata: {name: data}
      spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
  ${template}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: NAME}
spec:
  maxReplicas: 3
  scaleTargetRef: {apiVersion: apps/v1, kind: StatefulSet, name: NAME}
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: NAME}
spec:
  schedule: "0 0 1 1 *"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: web, image: "registry.invalid/web:1"}]}}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: NAME}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: web, image: "registry.invalid/web:1"}]}}}
---
apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: NAME}
spec:
  request: REQUEST
  signerName: example.org/signer
  usages: [client auth]
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: NAME}
spec: {controller: example.org/ingress}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: NAME}
spec: {rules: [{host: a.example.org, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: NAME, port: {number: 80}}}}]}}]}
---
apiVersion: networking.k8s.io/v1
kind: IPAddress
metadata: {name: 192.0.2.7}
spec: {parentRef: {resource: services, name: NAME, namespace: NS}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: NAME}
spec: {podSelector: {matchLabels: {app: NAME}}, ingress: [{from: [{podSelector: {}}]}]}
---
apiVersion: networking.k8s.io/v1
kind: ServiceCIDR
metadata: {name: NAME}
spec: {cidrs: [10.213.0.0/24]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: NAME}
spec: {minAvailable: 1, selector: {matchLabels: {app: NAME}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: NAME, labels: {aggregate: NAME}}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: NAME-aggregated}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {aggregate: NAME}}]}
rules: []
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: NAME}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: NAME}
subjects: [{kind: User, name: NAME}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: NAME}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: NAME}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: NAME}
subjects: [{kind: ServiceAccount, name: NAME}]
---
apiVersion: storage.k8s.io/v1
kind: CSIDriver
metadata: {name: NAME.example.org}
spec: {attachRequired: false}
---
apiVersion: storage.k8s.io/v1
kind: CSINode
metadata: {name: NAME}
spec: {drivers: []}
---
apiVersion: storage.k8s.io/v1
kind: CSIStorageCapacity
metadata: {name: NAME}
storageClassName: NAME
capacity: 10Gi
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: NAME}
provisioner: example.org/disk
---
apiVersion: storage.k8s.io/v1
kind: VolumeAttachment
metadata: {name: NAME}
spec: {attacher: disk.example.org, nodeName: NAME, source: {persistentVolumeName: NAME}}
---
apiVersion: storage.k8s.io/v1
kind: VolumeAttributesClass
metadata: {name: NAME}
driverName: example.org/disk
parameters: {a: "1"}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: NAME}
spec:
  reinvocationPolicy: Never
  failurePolicy: Ignore
  matchConstraints: {resourceRules: [{apiGroups: [example.org], apiVersions: [v1], operations: [CREATE], resources: [things]}]}
  mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{}"}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: NAME}
spec: {policyName: NAME}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: NAME}
webhooks:
  - name: hook.example.org
    admissionReviewVersions: [v1]
    sideEffects: None
    failurePolicy: Ignore
    clientConfig: {url: "https://hook.invalid"}
    rules: [{apiGroups: [example.org], apiVersions: [v1], operations: [CREATE], resources: [things]}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: NAME}
spec:
  failurePolicy: Ignore
  matchConstraints: {resourceRules: [{apiGroups: [example.org], apiVersions: [v1], operations: [CREATE], resources: [things]}]}
  validations: [{expression: "true"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: NAME}
spec: {policyName: NAME, validationActions: [Warn]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: NAME}
webhooks:
  - name: hook.example.org
    admissionReviewVersions: [v1]
    sideEffects: None
    failurePolicy: Ignore
    clientConfig: {url: "https://hook.invalid"}
    rules: [{apiGroups: [example.org], apiVersions: [v1], operations: [CREATE], resources: [things]}]
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.crd.example.org}
spec:
  group: crd.example.org
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: NAME}
value: 10
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: NAME}
spec: {holderIdentity: a, leaseDurationSeconds: 10}
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: NAME}
handler: runc
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: NAME, labels: {kubernetes.io/service-name: other}}
addressType: IPv4
endpoints: [{addresses: [10.1.2.3]}]
ports: [{name: a, port: 80}]
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: NAME}
spec: {selectors: [{cel: {expression: "true"}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: NAME}
spec: {devices: {requests: [{name: a, exactly: {deviceClassName: NAME}}]}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: NAME}
spec: {spec: {devices: {requests: [{name: a, exactly: {deviceClassName: NAME}}]}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: NAME}
spec: {driver: gpu.example.org, allNodes: true, pool: {name: a, generation: 1, resourceSliceCount: 1}, devices: [{name: a}]}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: NAME}
spec: {matchingPrecedence: 9000, priorityLevelConfiguration: {name: NAME}}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: NAME}
spec: {type: Limited, limited: {nominalConcurrencyShares: 5, limitResponse: {type: Reject}}}
`;

/** A certificate request that openssl has created; its content does not matter. */
const request =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISE1IQUNBUUF3RGpFTU1Bb0dBMVVFQXd3RGQyVmlNRmt3RXdZSEtvWkl6ajBDQVFZSUtvWkl6ajBEQVFjRApRZ0FFYmZwekpaeDdaWVJaVEk5OGs1dlR2d2RzOUVnRmxkZjlWYVc2V2dQUGlZT3ZWYVFCeFRaVTZDZ1h6REV2CitZdXlROEMxTHVBQmZGSXhQRE9MaGFwRTRhQUFNQW9HQ0NxR1NNNDlCQU1DQTBjQU1FUUNJRytldGZDZm5CYzgKM0JETlpIcGlRdDBkRDJER2hHNEFFVjQrRk54NHN3QUZBaUJhR2ZFOElEZEU5WUZlUlBJb1JRa1oyMjJuN3llRwpySEJYQVd1VzB5K1ZzZz09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=';

/** The minor versions of Kubernetes with which kinds got the version above. Older ones serve them as betas, if at all. */
export const stableSince: Readonly<Record<string, number>> = {
  DeviceClass: 34,
  MutatingAdmissionPolicy: 36,
  MutatingAdmissionPolicyBinding: 36,
  ResourceClaim: 34,
  ResourceClaimTemplate: 34,
  ResourceSlice: 34,
  VolumeAttributesClass: 34,
};

/** The objects of all kinds that are stable in the version of the cluster. */
export async function oneOfEachKind(cluster: Cluster, name: string, namespace: string): Promise<readonly JsonObject[]> {
  const minor = await minorVersion(cluster);
  const filled = texts.replaceAll('NAME', name).replaceAll('NS', namespace).replace('REQUEST', request);
  const objects = parseAllDocuments(filled).map((document) => objectOf(document.toJS()));
  return objects.filter(({ kind }) => (stableSince[String(kind)] ?? 0) <= minor);
}

/** A kind as the cluster serves it, in its preferred version. */
export interface ServedKind {
  readonly kind: string;
  /** `/api/v1/namespaces/shop/configmaps`, for the given namespace. */
  readonly collection: string;
  readonly apiVersion: string;
  readonly isNamespaced: boolean;
}

/** Every kind whose objects can be applied, read and deleted. */
export async function appliedKinds(cluster: Cluster, namespace: string): Promise<readonly ServedKind[]> {
  const groups = arrayOf(objectOf(await cluster.api('GET', '/apis'))['groups']).map(objectOf);
  const preferred = groups.map(({ preferredVersion }) => textOf(objectOf(preferredVersion)['groupVersion']) ?? '');
  const kindLists = ['v1', ...preferred].map(async (apiVersion) => {
    const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
    const { resources } = objectOf(await cluster.api('GET', root));
    return arrayOf(resources)
      .map(objectOf)
      .filter(({ verbs }) => ['patch', 'get', 'delete'].every((verb) => arrayOf(verbs).includes(verb)))
      .filter(({ name }) => !String(name).includes('/'))
      .map(({ kind, name, namespaced }) => ({
        kind: String(kind),
        collection: namespaced === true ? `${root}/namespaces/${namespace}/${name}` : `${root}/${name}`,
        apiVersion,
        isNamespaced: namespaced === true,
      }));
  });
  return (await Promise.all(kindLists)).flat();
}
