export { accessErrors } from './accessErrors.ts';
export { type ClusterAccess, clusterAccess, serverAccess } from './clusterAccess.ts';
export { loadKubeConfig } from './kubeConfig.ts';
