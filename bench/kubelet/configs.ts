import { join } from 'node:path';

/** The image of the sandbox, the service and the dependant. */
export const image = 'weeder.dev/workload:bench';

/** The network of the pods, in a Linux namespace for networks that only the node and its control plane use. */
export interface PodNetwork {
  /** The address of the node, at which its DNS server listens. */
  readonly node: string;
  /** The range of the pods' addresses. */
  readonly pods: string;
}

/** The config of the distribution's containerd, with its data in `folder` and only our own images. */
export function containerdConfig(folder: string, plugins: string): string {
  return `version = 2
root = ${JSON.stringify(join(folder, 'containerd'))}

[grpc]
  address = ${JSON.stringify(socketOf(folder))}

[plugins."io.containerd.internal.v1.opt"]
  path = ${JSON.stringify(join(folder, 'opt'))}

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = ${JSON.stringify(image)}
  # A container's score may be refused where this process itself has one.
  restrict_oom_score_adj = true

[plugins."io.containerd.grpc.v1.cri".registry]
  config_path = ${JSON.stringify(join(folder, 'certs.d'))}

[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = ${JSON.stringify(plugins)}
  conf_dir = ${JSON.stringify(join(folder, 'cni'))}
`;
}

/** Without a network for pods, one that the kubelet considers ready: they use that of the host. */
export function cniConfig(network?: PodNetwork): string {
  const plugin =
    network === undefined
      ? { type: 'loopback' }
      : {
          type: 'ptp',
          ipam: { type: 'host-local', ranges: [[{ subnet: network.pods }]], routes: [{ dst: '0.0.0.0/0' }] },
        };
  return JSON.stringify({ cniVersion: '0.4.0', name: 'pods', plugins: [plugin] });
}

/**
 * The kubelet's config. All settings that affect the time of a restart have their defaults, except the longest back-off
 * (seconds). The others let it run on any host: with any cgroups and disk, and without shared files.
 */
export function kubeletConfig(folder: string, port: number, longestBackOff: number, network?: PodNetwork): string {
  return JSON.stringify({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: `unix://${socketOf(folder)}`,
    crashLoopBackOff: { maxContainerRestartPeriod: `${longestBackOff}s` },
    // Only `kubectl logs` sends requests to the kubelet, by the API server, and only in a network of their own.
    address: network?.node ?? '127.0.0.1',
    ...(network === undefined ? {} : { clusterDNS: [network.node], clusterDomain: 'cluster.local' }),
    port,
    healthzPort: 0,
    authentication: { anonymous: { enabled: network !== undefined }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    cgroupDriver: 'cgroupfs',
    cgroupsPerQOS: false,
    enforceNodeAllocatable: ['none'],
    failCgroupV1: false,
    failSwapOn: false,
    makeIPTablesUtilChains: false,
    localStorageCapacityIsolation: false,
    evictionHard: {
      'memory.available': '0%',
      'nodefs.available': '0%',
      'nodefs.inodesFree': '0%',
      'imagefs.available': '0%',
    },
    imageGCHighThresholdPercent: 100,
    podLogsDir: logsFolder(folder),
    volumePluginDir: join(folder, 'volume-plugins'),
    resolvConf: '',
  });
}

export function logsFolder(folder: string): string {
  return join(folder, 'logs');
}

/** The socket of containerd. */
export function socketOf(folder: string): string {
  return join(folder, 'containerd.sock');
}
