export { accessErrors } from './accessErrors.ts';
export { type ClusterAccess, clusterAccess } from './clusterAccess.ts';
export { loadKubeConfig } from './kubeConfig.ts';
