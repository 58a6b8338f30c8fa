import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import type { Manifest } from '../../../src/observer/objects/identity.ts';

/**
 * A manifest as the application observer parses it: in namespace `shop` unless it names another one, or '' for none.
 */
export function manifestOf(object: JsonObject, namespace = 'shop'): Manifest {
  const apiVersion = String(object['apiVersion']);
  const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
  const metadata = objectOf(object['metadata']);
  const own = String(metadata['namespace'] ?? namespace);
  const identity = { group, kind: String(object['kind']), namespace: own, name: String(metadata['name']) };
  const placed = own === '' ? metadata : { ...metadata, namespace: own };
  return { identity, apiVersion, object: { ...object, metadata: placed } };
}

/** The Deployment of the original's example. */
export const nginxDeployment = manifestOf({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'nginx', labels: { app: 'nginx' } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'nginx' } },
    template: {
      metadata: { labels: { app: 'nginx' } },
      spec: {
        containers: [
          {
            name: 'nginx',
            image: 'nginx:1.29',
            args: ['-g', 'daemon off;'],
            ports: [{ containerPort: 80 }],
            env: [
              { name: 'A', value: '1' },
              { name: 'B', value: '2' },
            ],
            resources: { limits: { cpu: '1000m' } },
          },
          { name: 'sidecar', image: 'sidecar:2' },
        ],
        volumes: [{ name: 'scratch', emptyDir: {} }],
        nodeSelector: { disk: 'ssd' },
      },
    },
  },
});

/** Its Service, with one port number under two protocols, like DNS. */
export const nginxService = manifestOf({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'nginx' },
  spec: {
    selector: { app: 'nginx' },
    ports: [
      { name: 'web', port: 80 },
      { name: 'dns', port: 53 },
      { name: 'dns-udp', port: 53, protocol: 'UDP' },
    ],
  },
});
