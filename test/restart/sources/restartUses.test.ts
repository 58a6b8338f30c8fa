import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type SourceKind, sourceKey } from '../../../src/restart/references/refs.ts';
import { usesOf } from '../../../src/restart/references/uses.ts';

/** The uses of a pod spec as texts: `configmap/shop/settings#log volume by app, init`, with `?` for an optional one. */
function found(spec: object, imagePullSecrets: 'ignore' | 'hash' = 'ignore'): string[] {
  return usesOf({ metadata: { labels: {} }, spec }, 'shop', { imagePullSecrets }).map((use) => {
    const key = use.key === undefined ? '' : `#${use.key}`;
    return `${sourceKey(use.source)}${key}${use.isOptional ? '?' : ''} ${use.how} by ${use.containers.join(', ')}`;
  });
}

const fromKey = (kind: SourceKind, name: string, key: string, more: object = {}) => ({
  name: 'VARIABLE',
  valueFrom: { [kind === 'Secret' ? 'secretKeyRef' : 'configMapKeyRef']: { name, key, ...more } },
});
const mounting = (...volumes: string[]) => ({ volumeMounts: volumes.map((name) => ({ name, mountPath: `/${name}` })) });
/** A pod spec whose only container mounts this volume. */
const mounted = (volume: object) => ({
  containers: [{ name: 'app', ...mounting('v') }],
  volumes: [{ name: 'v', ...volume }],
});

test('a variable from a key uses that key of a ConfigMap or a Secret', () => {
  const env = [fromKey('ConfigMap', 'settings', 'log'), fromKey('Secret', 'password', 'word')];
  assert.deepEqual(found({ containers: [{ name: 'app', env }] }), [
    'configmap/shop/settings#log env by app',
    'secret/shop/password#word env by app',
  ]);
});

test('envFrom uses all keys, whatever the prefix', () => {
  const envFrom = [{ prefix: 'A_', configMapRef: { name: 'settings' } }, { secretRef: { name: 'password' } }];
  assert.deepEqual(found({ containers: [{ name: 'app', envFrom }] }), [
    'configmap/shop/settings envFrom by app',
    'secret/shop/password envFrom by app',
  ]);
});

test('init containers and sidecars count like containers, each by its name', () => {
  const env = [fromKey('ConfigMap', 'settings', 'log')];
  const initContainers = [
    { name: 'init', env },
    { name: 'sidecar', restartPolicy: 'Always', env },
  ];
  assert.deepEqual(found({ containers: [{ name: 'app' }], initContainers }), [
    'configmap/shop/settings#log env by init, sidecar',
  ]);
});

test('the same use in several containers is one use; another way, another key or optional is another use', () => {
  const env = (...more: object[]) => more.map((each) => fromKey('ConfigMap', 'settings', 'log', each));
  const containers = [
    { name: 'a', env: env({}, {}) },
    { name: 'b', env: [...env({}), fromKey('ConfigMap', 'settings', 'level')] },
    { name: 'c', env: env({ optional: true }), envFrom: [{ configMapRef: { name: 'settings' } }] },
  ];
  assert.deepEqual(found({ containers }), [
    'configmap/shop/settings#log env by a, b',
    'configmap/shop/settings#level env by b',
    'configmap/shop/settings#log? env by c',
    'configmap/shop/settings envFrom by c',
  ]);
});

test('a volume without items uses all keys, with items only these; an empty list means no items', () => {
  const items = [
    { key: 'a', path: 'x/a' },
    { key: 'b', path: 'b' },
  ];
  assert.deepEqual(found(mounted({ configMap: { name: 'settings' } })), ['configmap/shop/settings volume by app']);
  assert.deepEqual(found(mounted({ secret: { secretName: 'password' } })), ['secret/shop/password volume by app']);
  assert.deepEqual(found(mounted({ configMap: { name: 'settings', items } })), [
    'configmap/shop/settings#a volume by app',
    'configmap/shop/settings#b volume by app',
  ]);
  assert.deepEqual(found(mounted({ secret: { secretName: 'password', items } })), [
    'secret/shop/password#a volume by app',
    'secret/shop/password#b volume by app',
  ]);
  assert.deepEqual(found(mounted({ secret: { secretName: 'password', items: [] } })), [
    'secret/shop/password volume by app',
  ]);
});

test('a Secret volume is identified by secretName, not by name', () => {
  assert.deepEqual(found(mounted({ secret: { name: 'password' } })), []);
});

test('each source of a projected volume is a use, with its own items and its own optional', () => {
  const sources = [
    { configMap: { name: 'settings' } },
    { secret: { name: 'password', optional: true, items: [{ key: 'word', path: 'word' }] } },
    { serviceAccountToken: { path: 'token' } },
    { downwardAPI: { items: [] } },
  ];
  assert.deepEqual(found(mounted({ projected: { sources } })), [
    'configmap/shop/settings volume by app',
    'secret/shop/password#word? volume by app',
  ]);
});

test('only optional: true makes a reference optional, in every kind of reference', () => {
  const optional = true;
  const container = {
    name: 'app',
    env: [fromKey('ConfigMap', 'a', 'k', { optional }), fromKey('ConfigMap', 'b', 'k', { optional: false })],
    envFrom: [{ configMapRef: { name: 'c', optional } }, { secretRef: { name: 'd', optional: 'true' } }],
    ...mounting('v', 'w'),
  };
  const volumes = [
    { name: 'v', configMap: { name: 'e', optional } },
    { name: 'w', secret: { secretName: 'f', optional, items: [{ key: 'k' }] } },
  ];
  assert.deepEqual(found({ containers: [container], volumes }), [
    'configmap/shop/a#k? env by app',
    'configmap/shop/b#k env by app',
    'configmap/shop/c? envFrom by app',
    'secret/shop/d envFrom by app',
    'configmap/shop/e? volume by app',
    'secret/shop/f#k? volume by app',
  ]);
});

test('a volume is used by the containers that mount it; an unmounted volume requires its source unless it is optional', () => {
  const spec = (optional: boolean) => ({
    initContainers: [{ name: 'init', ...mounting('v') }],
    containers: [{ name: 'app', ...mounting('other', 'v') }, { name: 'aside' }],
    volumes: [
      { name: 'v', configMap: { name: 'settings' } },
      { name: 'w', secret: { secretName: 'password', optional, items: [{ key: 'word' }] } },
    ],
  });
  assert.deepEqual(found(spec(false)), [
    'configmap/shop/settings volume by init, app',
    'secret/shop/password#word unmounted by ',
  ]);
  assert.deepEqual(found(spec(true)), ['configmap/shop/settings volume by init, app']);
});

test('imagePullSecrets count only if the config includes them, as required sources of the whole pod', () => {
  const spec = { containers: [{ name: 'app' }], imagePullSecrets: [{ name: 'registry', optional: true }] };
  assert.deepEqual(found(spec, 'hash'), ['secret/shop/registry imagePullSecret by ']);
  assert.deepEqual(found(spec, 'ignore'), []);
});

test('other references are ignored: Secrets of storage drivers, ephemeral containers, plain values', () => {
  const secretRef = { name: 'password' };
  const drivers = [
    { csi: { driver: 'x', nodePublishSecretRef: secretRef } },
    { azureFile: { secretName: 'password', shareName: 'x' } },
    ...['cephfs', 'rbd', 'iscsi', 'flexVolume', 'scaleIO', 'storageos'].map((driver) => ({ [driver]: { secretRef } })),
    { emptyDir: {} },
    { persistentVolumeClaim: { claimName: 'settings' } },
  ].map((volume, index) => ({ name: `v${index}`, ...volume }));
  const env = [
    { name: 'PLAIN', value: 'settings' },
    { name: 'FIELD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'FILE', valueFrom: { fileKeyRef: { volumeName: 'v0', path: 'a', key: 'b' } } },
  ];
  const containers = [{ name: 'app', env, ...mounting(...drivers.map(({ name }) => name)) }];
  const ephemeralContainers = [{ name: 'debug', env: [fromKey('Secret', 'password', 'word')] }];
  assert.deepEqual(
    found({ containers, ephemeralContainers, volumes: drivers, serviceAccountName: 'builder' }, 'hash'),
    [],
  );
});

test('an empty name, or a variable without a key, refers to nothing', () => {
  const env = [fromKey('ConfigMap', '', 'log'), { name: 'X', valueFrom: { secretKeyRef: { name: 'password' } } }];
  assert.deepEqual(found({ containers: [{ name: 'app', env, envFrom: [{ secretRef: { name: '' } }, {}] }] }), []);
  assert.deepEqual(found(mounted({ configMap: {} })), []);
});

test('any value in place of a pod template or a part of it yields uses or none, and nothing throws', () => {
  const garbage = fc.anything({ maxDepth: 4 });
  const part = fc.oneof(garbage, fc.constant([null, 3, { name: 'v', valueFrom: 7 }, { items: [null], name: {} }]));
  const keys = ['containers', 'initContainers', 'volumes', 'imagePullSecrets', 'env', 'envFrom', 'volumeMounts'];
  const tree = fc.dictionary(fc.constantFrom(...keys, 'configMap', 'secret', 'projected', 'sources', 'name'), part);
  fc.assert(
    fc.property(tree, tree, (spec, inner) => {
      const template = { spec: { ...spec, containers: [inner, spec], volumes: [inner] } };
      for (const use of usesOf(template, 'shop', { imagePullSecrets: 'hash' })) assert.ok(use.source.name !== '');
    }),
  );
});
