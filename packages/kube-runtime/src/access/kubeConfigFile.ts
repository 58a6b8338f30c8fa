import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { type CodedError, failed, messageOf, ok, type Result } from '../base/result.ts';
import { accessError } from './accessErrors.ts';

const text = z.string().nullish();

const Cluster = z.looseObject({
  server: text,
  'certificate-authority': text,
  'certificate-authority-data': text,
  'insecure-skip-tls-verify': z.boolean().nullish(),
  'tls-server-name': text,
  'proxy-url': text,
});

const Exec = z.looseObject({
  apiVersion: text,
  command: z.string(),
  args: z.array(z.string()).nullish(),
  env: z.array(z.looseObject({ name: z.string(), value: z.string() })).nullish(),
  installHint: text,
  provideClusterInfo: z.boolean().nullish(),
  interactiveMode: text,
});

const User = z.looseObject({
  token: text,
  tokenFile: text,
  'client-certificate': text,
  'client-certificate-data': text,
  'client-key': text,
  'client-key-data': text,
  username: text,
  password: text,
  as: text,
  'as-uid': text,
  'as-groups': z.array(z.string()).nullish(),
  'as-user-extra': z.record(z.string(), z.array(z.string())).nullish(),
  exec: Exec.nullish(),
});

const Context = z.looseObject({ cluster: text, user: text, namespace: text });

const KubeConfigFile = z.looseObject({
  clusters: z.array(z.looseObject({ name: z.string(), cluster: Cluster.nullish() })).nullish(),
  users: z.array(z.looseObject({ name: z.string(), user: User.nullish() })).nullish(),
  contexts: z.array(z.looseObject({ name: z.string(), context: Context.nullish() })).nullish(),
  'current-context': text,
});

export type ClusterEntry = z.infer<typeof Cluster>;
export type UserEntry = z.infer<typeof User>;
type ContextEntry = z.infer<typeof Context>;
export type ExecEntry = z.infer<typeof Exec>;

/**
 * One or more kubeconfig files, merged like kubectl does: the first file that names something wins. Paths are absolute.
 */
export interface MergedKubeConfig {
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
  readonly currentContext: string | undefined;
}

interface EntryMaps {
  readonly clusters: Map<string, ClusterEntry>;
  readonly users: Map<string, UserEntry>;
  readonly contexts: Map<string, ContextEntry>;
}

/** Reads and merges files. Fails with KUBECONFIG_NOT_FOUND or KUBECONFIG_INVALID. */
export function readKubeConfigFiles(paths: readonly string[]): Result<MergedKubeConfig> {
  const merged: EntryMaps = { clusters: new Map(), users: new Map(), contexts: new Map() };
  let currentContext: string | undefined;
  for (const path of paths) {
    const file = readKubeConfigFile(path);
    if (!file.ok) return file;
    addEntries(file.value, dirname(path), merged);
    currentContext ??= file.value['current-context'] || undefined;
  }
  return ok({ ...merged, currentContext });
}

function addEntries(
  file: z.infer<typeof KubeConfigFile>,
  folder: string,
  { clusters, users, contexts }: EntryMaps,
): void {
  for (const { name, cluster } of file.clusters ?? []) addFirst(clusters, name, absoluteCluster(cluster ?? {}, folder));
  for (const { name, user } of file.users ?? []) addFirst(users, name, absoluteUser(user ?? {}, folder));
  for (const { name, context } of file.contexts ?? []) addFirst(contexts, name, context ?? {});
}

function kubeConfigProblem(path: string, error: string, hint?: string): CodedError {
  return accessError('KUBECONFIG_INVALID', `The kubeconfig ${path} ${error}.`, hint);
}

function readKubeConfigFile(path: string): Result<z.infer<typeof KubeConfigFile>> {
  let content: unknown;
  try {
    content = parse(readFileSync(path, 'utf8'), { logLevel: 'error' });
  } catch (error) {
    return failed(readingProblem(path, error));
  }
  if (content === null || content === undefined) return failed(kubeConfigProblem(path, 'is empty'));
  const checked = KubeConfigFile.safeParse(content);
  if (checked.success) return ok(checked.data);
  const issue = checked.error.issues[0];
  const where = issue?.path.join('.') ?? '';
  const words = issue?.message.replace(/^Invalid input: /, '') ?? 'not a kubeconfig';
  const error = words.replace(/received undefined$/, 'found nothing');
  return failed(kubeConfigProblem(path, `is not a kubeconfig: ${where === '' ? '' : `${where}: `}${error}`));
}

function readingProblem(path: string, error: unknown): CodedError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') {
    return accessError(
      'KUBECONFIG_NOT_FOUND',
      `The kubeconfig ${path} does not exist.`,
      'Give the path of an existing one.',
    );
  }
  if (code === 'EACCES' || code === 'EISDIR' || code === 'EPERM') {
    return kubeConfigProblem(path, code === 'EISDIR' ? 'is a folder' : 'may not be read by this user');
  }
  return kubeConfigProblem(path, `is not YAML: ${withoutQuotes(messageOf(error))}`);
}

/** What the parser says, and where, without what it quotes of the file, which may be a secret. */
function withoutQuotes(message: string): string {
  const place = / at line \d+, column \d+/.exec(message)?.[0] ?? '';
  const [words = ''] = message.split(/[:"'`\n]| at line /, 1);
  return `${words.trim()}${place}`;
}

function addFirst<T>(entries: Map<string, T>, name: string, entry: T): void {
  if (!entries.has(name)) entries.set(name, entry);
}

/** Relative paths are relative to the file that contains them, not to the working directory. */
function absolute(path: string | null | undefined, folder: string): string | undefined {
  if (path === null || path === undefined || path === '') return undefined;
  return isAbsolute(path) ? path : join(folder, path);
}

function absoluteCluster(cluster: ClusterEntry, folder: string): ClusterEntry {
  return { ...cluster, 'certificate-authority': absolute(cluster['certificate-authority'], folder) };
}

function absoluteUser(user: UserEntry, folder: string): UserEntry {
  return {
    ...user,
    tokenFile: absolute(user.tokenFile, folder),
    'client-certificate': absolute(user['client-certificate'], folder),
    'client-key': absolute(user['client-key'], folder),
    exec: user.exec ? absoluteExec(user.exec, folder) : undefined,
  };
}

/** Like kubectl, this looks up a command without a slash on PATH. */
function absoluteExec(exec: ExecEntry, folder: string): ExecEntry {
  return exec.command.includes('/') ? { ...exec, command: absolute(exec.command, folder) ?? exec.command } : exec;
}
