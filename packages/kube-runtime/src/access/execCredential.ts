import { spawn } from 'node:child_process';
import type { Clock } from '../base/clock.ts';
import { isObject, objectOf, textOf, timeOf } from '../base/json.ts';
import { failed, messageOf, ok, type Result } from '../base/result.ts';
import type { ClusterEntry, ExecEntry } from './kubeConfigFile.ts';

/** The output of an exec plugin. */
export interface ExecCredential {
  readonly token: string | undefined;
  /** PEM texts. */
  readonly clientCertificate: string | undefined;
  readonly clientKey: string | undefined;
  /** Epoch milliseconds; undefined: valid until the server answers 401. */
  readonly expiresAt: number | undefined;
}

/** A plugin that runs longer is probably waiting for input, which it cannot get. */
const longestRunMs = 30_000;
const longestOutput = 1 << 20;

/** Runs the plugin (client.authentication.k8s.io) once. Fails with a clause that begins with the plugin's name. */
export async function runExecPlugin(
  exec: ExecEntry,
  cluster: ClusterEntry,
  clock: Clock,
): Promise<Result<ExecCredential, string>> {
  const ran = await run(exec, cluster, clock).catch((error: unknown) => failed(couldNotRun(error)));
  const plugin = `the exec plugin "${exec.command}"`;
  if (!ran.ok) return failed(`${plugin} ${ran.error}${exec.installHint ? ` (${firstLineOf(exec.installHint)})` : ''}`);
  const credential = read(ran.value);
  return credential.ok ? credential : failed(`${plugin} ${credential.error}`);
}

/** Rejects if the system refuses to start the plugin, for example because its environment is too large. */
async function run(exec: ExecEntry, cluster: ClusterEntry, clock: Clock): Promise<Result<string, string>> {
  const { promise, resolve } = Promise.withResolvers<Result<string, string>>();
  const child = spawn(exec.command, exec.args ?? [], {
    env: environment(exec, cluster),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const out = collect(child.stdout);
  let written = 0;
  child.stderr?.on('data', ({ length }: Buffer) => {
    written += length;
  });
  const timer = clock.setTimeout(() => {
    child.kill('SIGKILL');
    // `close` is not waited for, because a grandchild may hold the pipes open, which would keep this process alive.
    child.stdout.destroy();
    child.stderr.destroy();
    resolve(failed(`did not end within ${longestRunMs / 1_000} s`));
  }, longestRunMs);
  const finish = (result: Result<string, string>) => {
    clock.clearTimeout(timer);
    resolve(result);
  };
  child.on('error', (error) => {
    finish(failed('code' in error && error.code === 'ENOENT' ? 'was not found' : couldNotRun(error)));
  });
  child.on('close', (code, signal) => {
    if (code === 0) return finish(ok(out()));
    // Not quoted either: a plugin may write the token for which it failed.
    const output = written === 0 ? '' : `; run it to see the ${written} bytes that it wrote to standard error`;
    finish(failed(`failed with ${signal ?? `exit code ${code}`}${output}`));
  });
  return promise;
}

function couldNotRun(error: unknown): string {
  return `could not be run: ${messageOf(error)}`;
}

function environment(exec: ExecEntry, cluster: ClusterEntry): NodeJS.ProcessEnv {
  const { apiVersion, provideClusterInfo } = exec;
  const spec = { interactive: false, ...(provideClusterInfo ? { cluster } : {}) };
  const info = { apiVersion: apiVersion ?? 'client.authentication.k8s.io/v1', kind: 'ExecCredential', spec };
  const configured = Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value]));
  return { ...process.env, ...configured, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
}

/** A plugin that could not be started, because the process has too many open files, has no streams. */
function collect(stream: NodeJS.ReadableStream | undefined): () => string {
  let text = '';
  stream?.setEncoding('utf8');
  stream?.on('data', (piece: string) => {
    if (text.length < longestOutput) text += piece;
  });
  return () => text;
}

function read(output: string): Result<ExecCredential, string> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(output);
  } catch {
    // The output is not quoted, because it may be a bare token.
    return failed(`printed ${Buffer.byteLength(output)} bytes that are not JSON, in place of an ExecCredential`);
  }
  const status = isObject(parsed) && parsed['kind'] === 'ExecCredential' ? objectOf(parsed['status']) : {};
  const token = textOf(status['token']);
  const clientCertificate = textOf(status['clientCertificateData']);
  const clientKey = textOf(status['clientKeyData']);
  if (token === undefined && clientCertificate === undefined) {
    return failed('printed no ExecCredential with a token or a client certificate');
  }
  return ok({ token, clientCertificate, clientKey, expiresAt: timeOf(status['expirationTimestamp']) });
}

function firstLineOf(text: string): string {
  return text.trim().split('\n', 1)[0]?.slice(0, 300) ?? '';
}
