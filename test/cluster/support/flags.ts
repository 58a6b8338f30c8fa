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
  readonly addressForPods: string | undefined;
}

/** Flags of kube-apiserver. Without an address for pods, and unlike in most clusters, pods need no service account. */
export function apiServerFlags(place: ApiServerPlace): string[] {
  const { dir, port, etcdUrl, tokens, privateKey, publicKey, addressForPods } = place;
  // The Service `kubernetes` would get the endpoint 127.0.0.1, which is invalid.
  const withoutPods = ['--endpoint-reconciler-type=none', '--disable-admission-plugins=ServiceAccount'];
  return [
    `--etcd-servers=${etcdUrl}`,
    `--cert-dir=${dir}`,
    `--bind-address=${addressForPods ?? '127.0.0.1'}`,
    `--secure-port=${port}`,
    ...(addressForPods === undefined ? withoutPods : []),
    '--authorization-mode=RBAC',
    `--token-auth-file=${tokens}`,
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

/** The flags that create the service account `default` of each namespace, and the CA of the API server for pods. */
export function serviceAccountFlags(dir: string): string[] {
  return [
    '--controllers=serviceaccount-controller,root-ca-certificate-publisher-controller',
    `--root-ca-file=${join(dir, 'apiserver.crt')}`,
  ];
}

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
