import { kubernetesVersions } from '../../cluster/support/plane/kubernetesVersions.ts';

/** The versions of Kubernetes that the tests run on, newest first, as a Markdown table. */
export function kubernetesTable(): string {
  const [newest, ...older] = kubernetesVersions.toReversed();
  const servers = (version = newest): string => `${version?.kubernetes}, with etcd ${version?.etcd}`;
  const rows = [
    [
      'kube-apiserver, kube-controller-manager',
      servers(),
      'each change',
      'every test of `npm run test:cluster` and `npm run test:faults`: the three controllers, the manifests with their permissions, a soak of two minutes',
    ],
    [
      'kube-apiserver without the feature gate `WatchList`',
      `${newest?.kubernetes}, configured like API servers before 1.34, which do not stream lists (1.32 does)`,
      'each change',
      'streams, reload, `explain`, restart control by name, the conformance suite',
    ],
    ...older.map((version) => [
      'kube-apiserver, kube-controller-manager',
      servers(version),
      'every night',
      'the conformance suite, and the tests of deletions, restart control and the application observer',
    ]),
    [
      'status of pods, as kubelets report it',
      '1.34 and 1.36',
      'each change',
      'detection of back-offs: a simulated kubelet reports them as recorded from real ones',
    ],
  ];
  const lines = [['component', 'version', 'tested', 'what'], ['---', '---', '---', '---'], ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
