import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { KubeConfig } from '@kubernetes/client-node';
import { type CodedError, failed, messageOf, ok, type Result } from '../base/result.ts';
import { accessError } from './accessErrors.ts';
import { type Environment, environmentProxy, type ProxySetting } from './environmentProxy.ts';
import type { ClusterEntry, ExecEntry, UserEntry } from './kubeConfigFile.ts';

/** The chosen context as it is in the files; paths are absolute. */
export interface ClusterChoice {
  /** The files or the service account, for messages. */
  readonly source: string;
  readonly context: string;
  readonly namespace: string | undefined;
  readonly cluster: ClusterEntry;
  /** The name of the user's entry; undefined in a pod, and for a context without a user. */
  readonly userName?: string | undefined;
  readonly user: UserEntry;
  /** May set a proxy; that of the cluster's entry takes precedence. */
  readonly env?: Environment;
}

/** The cluster, and how to authenticate to it. */
export interface ClusterAccess {
  readonly source: string;
  readonly context: string;
  readonly userName: string | undefined;
  /** The namespace of the context; in a pod, the pod's own. */
  readonly namespace: string | undefined;
  /** `http(s)://host:port`, possibly with a path, without a trailing slash. */
  readonly server: string;
  /** The configuration for client-node: TLS files, basic auth, tokens of the legacy auth providers, proxies. */
  readonly kubeConfig: KubeConfig;
  /** This file is read again periodically, because its content changes. Its content takes precedence over `token`. */
  readonly tokenFile: string | undefined;
  readonly token: string | undefined;
  readonly exec: ExecEntry | undefined;
  /** The information about the cluster that exec plugins receive. */
  readonly cluster: ClusterEntry;
  readonly impersonation: Readonly<Record<string, string | string[]>>;
}

/** Checks everything that can be checked without the server. Fails with KUBECONFIG_INVALID. */
export function clusterAccess(choice: ClusterChoice): Result<ClusterAccess> {
  const server = serverUrl(choice);
  if (!server.ok) return server;
  const { cluster, user } = choice;
  const proxy = proxyOf(choice, server.value);
  const error = proxyError(proxy) ?? fileError(cluster, user) ?? tlsError(cluster, user) ?? execError(user);
  if (error !== undefined) return failed(invalid(choice, error));
  return assemble(choice, server.value, proxy);
}

/** A server that is no API server, and speaks HTTP: its files may be missing, and are read with each new connection. */
interface OtherServer {
  /** For messages. */
  readonly name: string;
  /** `http(s)://host:port`. */
  readonly origin: string;
  readonly caFile?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly env: Environment;
}

/** Access to a server with the means of the client: proxy, TLS, a token from a file. Fails with a clause. */
export function serverAccess({ name, origin, caFile, tokenFile, env }: OtherServer): Result<ClusterAccess, string> {
  const cluster = { server: origin, 'certificate-authority': caFile };
  const choice = { source: name, context: name, namespace: undefined, cluster, user: { tokenFile }, env };
  const proxy = environmentProxy(new URL(origin), env);
  const error = proxyError(proxy);
  if (error !== undefined) return failed(error);
  const access = assemble(choice, origin, proxy);
  return access.ok ? access : failed(access.error.message);
}

function assemble(choice: ClusterChoice, server: string, proxy: ProxySetting | undefined): Result<ClusterAccess> {
  const { cluster, user } = choice;
  const kubeConfig = clientNodeConfig(choice, server, proxy?.url);
  if (!kubeConfig.ok) return kubeConfig;
  return ok({
    source: choice.source,
    context: choice.context,
    userName: choice.userName,
    namespace: choice.namespace,
    server,
    kubeConfig: kubeConfig.value,
    tokenFile: user.tokenFile ?? undefined,
    token: user.token ?? undefined,
    exec: user.exec ?? undefined,
    cluster: { ...cluster, server },
    impersonation: impersonation(user),
  });
}

function invalid(choice: ClusterChoice, error: string): CodedError {
  return accessError(
    'KUBECONFIG_INVALID',
    `In the kubeconfig ${choice.source}, context "${choice.context}": ${error}.`,
  );
}

function serverUrl(choice: ClusterChoice): Result<string> {
  const given = choice.cluster.server ?? '';
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !(url.protocol === 'https:' || url.protocol === 'http:') || url.search || url.hash) {
    return failed(invalid(choice, 'the server is not an address such as https://10.0.0.1:6443'));
  }
  return ok(`${url.origin}${url.pathname}`.replace(/(?<!\/)\/+$/, ''));
}

function proxyOf({ cluster, env }: ClusterChoice, server: string): ProxySetting | undefined {
  const url = cluster['proxy-url'];
  return url ? { url, source: 'proxy-url' } : environmentProxy(new URL(server), env ?? {});
}

/** The address is not quoted, because it may have a password. */
function proxyError(proxy: ProxySetting | undefined): string | undefined {
  if (proxy === undefined) return undefined;
  const url = URL.parse(proxy.url);
  if (url === null || !/^(https?|socks5h?):$/.test(url.protocol))
    return `the ${proxy.source} is not an http, https or socks5 address; in a password, # is written %23, and / %2F`;
  return url.search + url.hash === ''
    ? undefined
    : `the ${proxy.source} has a "?" or "#", which in a password are written %3F and %23`;
}

function fileError(cluster: ClusterEntry, user: UserEntry): string | undefined {
  const files: readonly (readonly [string, string | null | undefined])[] = [
    ['certificate-authority', cluster['certificate-authority']],
    ['client-certificate', user['client-certificate']],
    ['client-key', user['client-key']],
    ['tokenFile', user.tokenFile],
  ];
  for (const [what, path] of files) {
    const error = path ? unreadable(path) : undefined;
    if (error !== undefined) return `the ${what} ${path} ${error}`;
  }
  return undefined;
}

function unreadable(path: string): string | undefined {
  try {
    readFileSync(path);
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ENOENT' ? 'does not exist' : `cannot be read (${messageOf(error)})`;
  }
}

function tlsError(cluster: ClusterEntry, user: UserEntry): string | undefined {
  const hasCertificate = Boolean(user['client-certificate'] || user['client-certificate-data']);
  const hasKey = Boolean(user['client-key'] || user['client-key-data']);
  if (hasCertificate !== hasKey)
    return `the user has a client ${hasKey ? 'key without a certificate' : 'certificate without a key'}`;
  const ca = pem(cluster['certificate-authority'], cluster['certificate-authority-data']);
  if (ca !== undefined && !ca.includes('-----BEGIN')) return 'the certificate authority is not PEM text';
  return (
    contextError('certificate authority', { ca }) ??
    contextError('client certificate and key', {
      cert: pem(user['client-certificate'], user['client-certificate-data']),
      key: pem(user['client-key'], user['client-key-data']),
    })
  );
}

function contextError(what: string, options: Readonly<Record<string, string | undefined>>): string | undefined {
  try {
    createSecureContext(options);
    return undefined;
  } catch (error) {
    return `the ${what} cannot be used (${messageOf(error)})`;
  }
}

function pem(path: string | null | undefined, base64: string | null | undefined): string | undefined {
  if (path) return readFileSync(path, 'utf8');
  return base64 ? Buffer.from(base64, 'base64').toString('utf8') : undefined;
}

function execError(user: UserEntry): string | undefined {
  if (user.exec?.interactiveMode !== 'Always') return undefined;
  return `the exec plugin "${user.exec.command}" requires an interactive terminal (interactiveMode: Always), and there is none`;
}

/** Tokens and exec plugins are left out, because `credentials.ts` reads and renews them. */
function clientNodeConfig(choice: ClusterChoice, server: string, proxy: string | undefined): Result<KubeConfig> {
  const { cluster, user, context, namespace } = choice;
  const { token: _token, tokenFile: _tokenFile, exec: _exec, as: _as, ...rest } = user;
  const kubeConfig = new KubeConfig();
  // client-node refuses plain http unless TLS verification is off; plain http has no TLS to verify.
  const skip = server.startsWith('http:') || cluster['insecure-skip-tls-verify'] === true;
  const text = JSON.stringify({
    clusters: [
      { name: 'cluster', cluster: { ...cluster, server, 'proxy-url': proxy, 'insecure-skip-tls-verify': skip } },
    ],
    users: [{ name: 'user', user: rest }],
    contexts: [{ name: context, context: { cluster: 'cluster', user: 'user', namespace } }],
    'current-context': context,
  });
  try {
    kubeConfig.loadFromString(text);
    return ok(kubeConfig);
  } catch (error) {
    // This value has not been validated yet: it may have any shape and depth.
    const [why = ''] = messageOf(error).split('\n', 1);
    return failed(invalid(choice, `the cluster or the user is invalid: ${why}`));
  }
}

function impersonation(user: UserEntry): Readonly<Record<string, string | string[]>> {
  const headers: Record<string, string | string[]> = {};
  if (user.as) headers['impersonate-user'] = user.as;
  if (user['as-uid']) headers['impersonate-uid'] = user['as-uid'];
  if (user['as-groups']?.length) headers['impersonate-group'] = user['as-groups'];
  for (const [key, values] of Object.entries(user['as-user-extra'] ?? {})) {
    headers[`impersonate-extra-${encodeURIComponent(key.toWellFormed())}`] = values;
  }
  return headers;
}
