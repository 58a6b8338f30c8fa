import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { parseAllDocuments } from 'yaml';
import { eventually } from '../support/eventually.ts';
import { at } from '../support/observer/observedObjects.ts';
import { edit, makeClusterTenant, setObserverScene } from '../support/observer/observerScene.ts';

/** One form of schema in Krake's documentation, examples and tests, and manifests of that form. */
interface Example {
  readonly manifests: string;
  readonly schema: string;
}

const echo = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME}
spec:
  selector: {matchLabels: {app: NAME}}
  template:
    metadata: {labels: {app: NAME}}
    spec:
      containers:
        - name: echo
          image: echo:1
          ports: [{containerPort: 8080}]
---
apiVersion: v1
kind: Service
metadata: {name: NAME}
spec:
  type: NodePort
  selector: {app: NAME}
  ports: [{port: 8080, protocol: TCP, targetPort: 8080}]
`;
const exactly = (length: number) =>
  `{observer_schema_list_min_length: ${length}, observer_schema_list_max_length: ${length}}`;
const deployment = (spec: string, container: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME}
spec:
  ${spec}
  selector: {matchLabels: {app: null}}
  template:
    metadata: {labels: {app: null}}
    spec:
      containers:
        - {name: null, ${container} ports: [{containerPort: null}, ${exactly(1)}]}
        - ${exactly(1)}
`;
const service = (metadata: string, spec: string) => `
apiVersion: v1
kind: Service
metadata: {name: NAME${metadata}}
${spec}
`;

const examples: Readonly<Record<string, Example>> = {
  'more-elements': {
    manifests: echo,
    schema: service(
      '',
      `spec:
  selector: {app: null}
  ports:
    - {port: null, protocol: null, targetPort: null}
    - {port: null, protocol: null, targetPort: null}
    - {observer_schema_list_min_length: 1, observer_schema_list_max_length: 4}
  sessionAffinity: null`,
    ),
  },
  presence: { manifests: echo, schema: service('', '') },
  'null-namespace': {
    manifests: echo,
    schema: `${deployment('', 'image: null,')}---${service(', namespace: null', `spec: {type: null, ports: [{port: null, targetPort: null}, {observer_schema_list_min_length: 0, observer_schema_list_max_length: 2}]}`)}`,
  },
  'namespace-beside-metadata': { manifests: echo, schema: service('', 'namespace: null') },
  'not-in-manifest': { manifests: echo, schema: `${deployment('replicas: null', '')}` },
  'default-schema': {
    manifests: echo,
    schema: `${deployment('', 'image: null,')}---${service('', `spec: {type: null, selector: {app: null}, ports: [{port: null, protocol: null, targetPort: null}, ${exactly(1)}]}`)}`,
  },
  'bounds-alone': {
    manifests: echo,
    schema: service('', 'spec: {ports: [{observer_schema_list_min_length: 1, observer_schema_list_max_length: 0}]}'),
  },
  'cluster-ip': {
    manifests: echo,
    schema: service(
      '',
      'spec: {clusterIP: null, ports: [{port: null}, {observer_schema_list_min_length: 1, observer_schema_list_max_length: 3}]}',
    ),
  },
  secret: {
    manifests: 'apiVersion: v1\nkind: Secret\nmetadata: {name: NAME}\ndata: {config: bXljb25maWc=}',
    schema: 'apiVersion: v1\nkind: Secret\nmetadata: {name: NAME, namespace: null}',
  },
  'lists-of-nulls': {
    manifests: `
apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME}
spec:
  selector: {matchLabels: {app: NAME}}
  template:
    metadata: {labels: {app: NAME}}
    spec:
      containers:
        - name: echo
          image: echo:1
          command: [sh, -c, echo]
          env: [{name: A, value: b}]
          ports: [{containerPort: 8080}]
          volumeMounts: [{mountPath: /a, name: a}]
      volumes: [{name: a, configMap: {name: NAME}}]
`,
    schema: `
apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME}
spec:
  selector: {matchLabels: {app: null}}
  template:
    metadata: {labels: {app: null}}
    spec:
      containers:
        - name: null
          image: null
          command: [null, null, null, ${exactly(3)}]
          env: [{name: null, value: null}, ${exactly(1)}]
          ports: [{containerPort: null}, ${exactly(1)}]
          volumeMounts: [{mountPath: null, name: null}, {observer_schema_list_max_length: 2, observer_schema_list_min_length: 1}]
        - ${exactly(1)}
      volumes: [{configMap: {name: null}, name: null}, ${exactly(1)}]
`,
  },
  storage: {
    manifests: `
apiVersion: v1
kind: PersistentVolume
metadata: {name: NAME, labels: {type: local}}
spec:
  storageClassName: NAME
  capacity: {storage: 100Mi}
  accessModes: [ReadWriteOnce]
  hostPath: {path: /pv}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: NAME}
spec:
  storageClassName: NAME
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 10Mi}}
---
apiVersion: v1
kind: Pod
metadata: {name: NAME}
spec:
  containers:
    - name: write
      image: alpine:1
      imagePullPolicy: IfNotPresent
      command: [sh, -c, date]
      volumeMounts: [{mountPath: /pv, name: pv}]
  volumes: [{name: pv, persistentVolumeClaim: {claimName: NAME}}]
`,
    schema: `
apiVersion: v1
kind: PersistentVolume
metadata: {name: NAME, labels: {type: null}}
spec:
  accessModes: [null, ${exactly(1)}]
  capacity: {storage: null}
  hostPath: {path: null}
  storageClassName: null
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: NAME}
spec:
  accessModes: [null, ${exactly(1)}]
  resources: {requests: {storage: null}}
  storageClassName: null
---
apiVersion: v1
kind: Pod
metadata: {name: NAME}
spec:
  containers:
    - name: null
      image: null
      imagePullPolicy: null
      command: [null, null, null, ${exactly(3)}]
      volumeMounts: [{mountPath: null, name: null}, {observer_schema_list_max_length: 2, observer_schema_list_min_length: 1}]
    - ${exactly(1)}
  volumes: [{name: null, persistentVolumeClaim: {claimName: null}}, {observer_schema_list_max_length: 2, observer_schema_list_min_length: 1}]
`,
  },
};

function documents(text: string, name: string): readonly JsonObject[] {
  return parseAllDocuments(text.replaceAll('NAME', name)).map((document) => objectOf(document.toJS()));
}

suite('the observer schemas of Krake', () => {
  test('each form of schema in Krake’s documentation is accepted, in sync, and has the meaning that it has there', async (t) => {
    const scene = await setObserverScene(t, 'krake');
    const { ns } = scene;
    await makeClusterTenant(ns);
    const weeder = await scene.start(t);
    const prefix = ns.name;
    for (const [name, { manifests, schema }] of Object.entries(examples))
      await scene.apply(name, {
        manifests: documents(manifests, `${prefix}-${name}`),
        observerSchema: documents(schema, `${prefix}-${name}`),
      });
    for (const name of Object.keys(examples)) {
      await scene.untilInSync(name);
      assert.equal(await scene.condition(name, 'Invalid'), 'False', name);
    }
    assert.deepEqual(weeder.log.find('resource corrected'), []);

    // An entry that only names its resource: changes are left alone, and a deleted object is created in full.
    const present = ns.path('api/v1', 'services', `${prefix}-presence`);
    const before = objectOf(await ns.cluster.api('GET', present));
    await edit(ns, present, { metadata: { labels: { team: 'web' } }, spec: { selector: { app: 'other' } } });
    const secret = ns.path('api/v1', 'secrets', `${prefix}-secret`);
    await ns.cluster.api('DELETE', secret);
    await eventually(async () => (await ns.cluster.send('GET', secret)).status === 200, { what: 'the Secret, again' });
    assert.equal(at(await ns.cluster.api('GET', secret), 'data', 'config'), 'bXljb25maWc=');
    await ns.cluster.api('DELETE', present);
    const again = await eventually(
      async () => {
        const { status, body } = await ns.cluster.send('GET', present);
        const isOther = at(body, 'metadata', 'uid') !== at(before, 'metadata', 'uid');
        return status === 200 && isOther ? objectOf(body) : undefined;
      },
      { what: 'the Service, again' },
    );
    assert.deepEqual(at(again, 'spec', 'selector'), { app: `${prefix}-presence` });

    // More elements than the manifest has: within the bounds anything is allowed; observed values are restored.
    const ports = ns.path('api/v1', 'services', `${prefix}-more-elements`);
    const more = { name: 'more', port: 9090, protocol: 'TCP', targetPort: 9090 };
    const first = { name: 'first', port: 8080, protocol: 'TCP', targetPort: 1 };
    await edit(ns, ports, { spec: { ports: [first, more], sessionAffinity: 'ClientIP' } });
    const corrected = await eventually(
      async () => {
        const object = objectOf(await ns.cluster.api('GET', ports));
        return at(object, 'spec', 'sessionAffinity') === 'None' ? object : undefined;
      },
      { what: 'the restored observed fields' },
    );
    const targets = arrayOf(at(corrected, 'spec', 'ports')).map((port) => [at(port, 'port'), at(port, 'targetPort')]);
    assert.deepEqual(targets, [
      [8080, 8080],
      [9090, 9090],
    ]);
    // The selector that another client changed was never restored: only the second object has the one of the manifest.
    const written = weeder.log.find('resource corrected').map((line) => line['resource']);
    assert.ok(!written.some((resource) => String(resource).includes('presence')), JSON.stringify(written));
  });
});
