import { join } from 'node:path';

/** Flags of etcd. It does not sync to disk, because the data is temporary. */
export function etcdFlags(dir: string, url: string, peerUrl: string): string[] {
  return [
    `--data-dir=${join(dir, 'etcd')}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
    '--unsafe-no-fsync',
    '--log-level=warn',
  ];
}

interface ApiServerPlace {
  readonly dir: string;
  readonly port: number;
  readonly etcdUrl: string;
  readonly tokens: string;
  readonly privateKey: string;
  readonly publicKey: string;
}

/** Flags of kube-apiserver. Unlike in most clusters, pods need no service account. */
export function apiServerFlags({ dir, port, etcdUrl, tokens, privateKey, publicKey }: ApiServerPlace): string[] {
  return [
    `--etcd-servers=${etcdUrl}`,
    `--cert-dir=${dir}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    // Otherwise the Service `kubernetes` would get the endpoint 127.0.0.1, which is invalid.
    '--endpoint-reconciler-type=none',
    '--authorization-mode=RBAC',
    `--token-auth-file=${tokens}`,
    '--disable-admission-plugins=ServiceAccount',
    '--service-account-issuer=https://weeder.test',
    `--service-account-key-file=${publicKey}`,
    `--service-account-signing-key-file=${privateKey}`,
    // Both address families, so that a service can have IPv4 and IPv6 slices.
    '--service-cluster-ip-range=10.96.0.0/16,fd00:96::/108',
    '--profiling=false',
  ];
}

const controllers = [
  'daemonset-controller',
  'deployment-controller',
  'disruption-controller',
  'endpointslice-controller',
  'endpointslice-mirroring-controller',
  'garbage-collector-controller',
  'job-controller',
  'namespace-controller',
  'pod-garbage-collector-controller',
  'replicaset-controller',
  'statefulset-controller',
];

/** Flags of kube-controller-manager: only the controllers that tests depend on, with short periods. */
export function controllerManagerFlags(dir: string, port: number, kubeconfig: string): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    `--cert-dir=${dir}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    '--leader-elect=false',
    `--controllers=${controllers.join(',')}`,
    '--kube-api-qps=1000',
    '--kube-api-burst=2000',
    '--concurrent-gc-syncs=4',
    '--concurrent-namespace-syncs=8',
    '--profiling=false',
  ];
}
