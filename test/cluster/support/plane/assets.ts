import { join } from 'node:path';
import { isExecutable } from '../../../support/isExecutable.ts';
import { builtTools, type ToolModule } from './build.ts';
import { kubernetesVersion } from './kubernetesVersions.ts';
import { SetupProblem } from './process.ts';

/** The paths of the three binaries of a control plane, and their folder. */
export interface Assets {
  readonly folder: string;
  readonly etcd: string;
  readonly apiServer: string;
  readonly controllerManager: string;
}

const controlPlane: Omit<ToolModule, 'folder'> = {
  name: 'controlplane',
  version: /k8s\.io\/kubernetes (v[\d.]+)/,
  what: 'the control plane',
  takes: '5 minutes',
  otherwise: ', or set KUBEBUILDER_ASSETS to a folder with kube-apiserver, kube-controller-manager and etcd',
  linkerFlags,
  // Go names the program of etcd `server`, after its main package.
  renamed: { server: 'etcd' },
};

/** Reduces the size of the binaries, and sets their version, which would be v0.0.0-master otherwise. */
export function linkerFlags(kubernetes: string): readonly string[] {
  const [major = '', minor = ''] = kubernetes.slice(1).split('.');
  const set = (name: string, value: string): string => `-X k8s.io/component-base/version.${name}=${value}`;
  return [set('gitVersion', kubernetes), set('gitMajor', major), set('gitMinor', minor)];
}

/**
 * Finds the binaries in the folder `KUBEBUILDER_ASSETS`, or builds those of a version of Kubernetes (such as `1.34`, by
 * default the newest) with Go, which takes minutes the first time. Throws a SetupProblem if there is neither.
 */
export async function findAssets(minor?: string): Promise<Assets> {
  const named = process.env['KUBEBUILDER_ASSETS'];
  if (named && minor !== undefined) {
    throw new SetupProblem('KUBEBUILDER_ASSETS is set, so --kubernetes has no effect: unset one of the two.');
  }
  const folder = named ? named : await builtTools({ ...controlPlane, folder: kubernetesVersion(minor).folder });
  const assets = {
    folder,
    etcd: join(folder, 'etcd'),
    apiServer: join(folder, 'kube-apiserver'),
    controllerManager: join(folder, 'kube-controller-manager'),
  };
  const missing = [assets.etcd, assets.apiServer, assets.controllerManager].filter((path) => !isExecutable(path));
  if (missing.length > 0) throw new SetupProblem(named ? whatToDo(missing) : damaged(folder, missing));
  return assets;
}

function whatToDo(missing: readonly string[]): string {
  return (
    `KUBEBUILDER_ASSETS names a folder in which these are missing or not executable: ${missing.join(', ')}. ` +
    'Add them (setup-envtest brings no kube-controller-manager), or unset KUBEBUILDER_ASSETS to build all three with Go.'
  );
}

function damaged(folder: string, missing: readonly string[]): string {
  return `The built control plane is damaged, ${missing.join(', ')} cannot be run: remove ${folder} and start again.`;
}
