import { existsSync, readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { delimiter, join } from 'node:path';
import { failed, ok, type Result } from '../base/result.ts';
import { accessError } from './accessErrors.ts';
import { type ClusterAccess, type ClusterChoice, clusterAccess } from './clusterAccess.ts';
import type { Environment } from './environmentProxy.ts';
import { type MergedKubeConfig, readKubeConfigFiles } from './kubeConfigFile.ts';

/** The flags about the cluster. */
interface KubeConfigFlags {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** The user to impersonate, instead of the one that the kubeconfig names. */
  readonly as?: string | undefined;
  /** The groups to impersonate, instead of those that the kubeconfig names. */
  readonly asGroup?: readonly string[] | undefined;
  /** What to do if no cluster is found. */
  readonly hint?: string;
}

/** Where a pod's service account is mounted. */
const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Finds the cluster in the order of controller-runtime: --kubeconfig, $KUBECONFIG (a list of files, merged), the pod's
 * own service account, ~/.kube/config. Everything that can be checked without the server is checked; errors are
 * KUBECONFIG_NOT_FOUND or KUBECONFIG_INVALID. With --context, the service account is not considered.
 */
export function loadKubeConfig(
  flags: KubeConfigFlags,
  env: Environment,
  serviceAccount: string = serviceAccountFolder,
): Result<ClusterAccess> {
  const access = findAccess(flags, env, serviceAccount);
  return access.ok ? ok(impersonating(access.value, flags)) : access;
}

function impersonating(access: ClusterAccess, { as, asGroup }: KubeConfigFlags): ClusterAccess {
  const user = as === undefined ? {} : { 'impersonate-user': as };
  const groups = asGroup === undefined ? {} : { 'impersonate-group': [...asGroup] };
  return { ...access, impersonation: { ...access.impersonation, ...user, ...groups } };
}

function findAccess(flags: KubeConfigFlags, env: Environment, serviceAccount: string): Result<ClusterAccess> {
  if (flags.kubeconfig) return fromFiles([flags.kubeconfig], flags.context, env);
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  // Like kubectl, this ignores files in a list that do not exist.
  const existing = listed.filter((path) => existsSync(path));
  if (existing.length > 0) return fromFiles(existing, flags.context, env);
  if (listed.length > 0) {
    const message = `$KUBECONFIG names ${listed.join(' and ')}, which does not exist.`;
    return failed(accessError('KUBECONFIG_NOT_FOUND', message, flags.hint));
  }
  if (!flags.context && inCluster(env, serviceAccount)) return fromServiceAccount(env, serviceAccount);
  const home = env['HOME'] ?? env['USERPROFILE'];
  const atHome = home ? join(home, '.kube', 'config') : undefined;
  if (atHome !== undefined && existsSync(atHome)) return fromFiles([atHome], flags.context, env);
  return failed(nothingFound(env, serviceAccount, atHome, flags.hint));
}

function inCluster(env: Environment, serviceAccount: string): boolean {
  return Boolean(env['KUBERNETES_SERVICE_HOST']) && existsSync(join(serviceAccount, 'token'));
}

function nothingFound(env: Environment, serviceAccount: string, atHome: string | undefined, hint: string | undefined) {
  const searched = [
    'no --kubeconfig',
    'no $KUBECONFIG',
    env['KUBERNETES_SERVICE_HOST']
      ? `no service account (there is no ${join(serviceAccount, 'token')}; is automountServiceAccountToken off?)`
      : 'not in a pod ($KUBERNETES_SERVICE_HOST is not set)',
    atHome === undefined ? 'no home folder ($HOME is not set)' : `no ${atHome}`,
  ];
  return accessError('KUBECONFIG_NOT_FOUND', `No cluster was found: ${searched.join(', ')}.`, hint);
}

function fromFiles(paths: readonly string[], context: string | undefined, env: Environment): Result<ClusterAccess> {
  const merged = readKubeConfigFiles(paths);
  if (!merged.ok) return merged;
  const chosen = choose(merged.value, paths.join(' + '), context);
  return chosen.ok ? clusterAccess({ ...chosen.value, env }) : chosen;
}

function choose(config: MergedKubeConfig, path: string, requested: string | undefined): Result<ClusterChoice> {
  const contexts = [...config.contexts.keys()];
  const name = requested ?? config.currentContext;
  const list =
    contexts.length === 0 ? 'it has none at all' : `it has ${contexts.map((each) => `"${each}"`).join(', ')}`;
  if (name === undefined) {
    return failed(invalid(path, `names no current-context; ${list}`, 'Choose one with --context.'));
  }
  const context = config.contexts.get(name);
  if (context === undefined) {
    return failed(invalid(path, `has no context "${name}"; ${list}`, 'Choose one with --context.'));
  }
  const cluster = config.clusters.get(context.cluster ?? '');
  if (cluster === undefined) {
    return failed(invalid(path, `has a context "${name}" whose cluster "${context.cluster ?? ''}" it does not define`));
  }
  const user = context.user ? config.users.get(context.user) : {};
  if (user === undefined) {
    return failed(invalid(path, `has a context "${name}" whose user "${context.user}" it does not define`));
  }
  const namespace = context.namespace || undefined;
  return ok({ source: path, context: name, namespace, cluster, userName: context.user || undefined, user });
}

function invalid(path: string, error: string, hint?: string) {
  return accessError('KUBECONFIG_INVALID', `The kubeconfig ${path} ${error}.`, hint);
}

/**
 * Like client-go, this always uses https, reads the token file again periodically, and uses the system's CAs if there
 * is no ca.crt.
 */
function fromServiceAccount(env: Environment, folder: string): Result<ClusterAccess> {
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  const authority = join(folder, 'ca.crt');
  const namespaceFile = join(folder, 'namespace');
  const namespace = existsSync(namespaceFile) ? readFileSync(namespaceFile, 'utf8').trim() : '';
  return clusterAccess({
    source: `service account ${folder}`,
    context: 'in-cluster',
    namespace: namespace || undefined,
    cluster: {
      server: `https://${isIPv6(host) ? `[${host}]` : host}:${env['KUBERNETES_SERVICE_PORT'] || '443'}`,
      'certificate-authority': existsSync(authority) ? authority : undefined,
    },
    user: { tokenFile: join(folder, 'token') },
    env,
  });
}
