import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cleanup, cleanUp } from './cleanup.ts';

import type { Cluster } from './plane/access.ts';
import { guardFolder } from './plane/process.ts';
import { collectLog, type WeederLog } from './weederLog.ts';

const checkout = join(import.meta.dirname, '..', '..', '..');

export interface StartOptions {
  readonly cluster: Cluster;
  /** The config file: YAML, or an object (JSON is YAML). */
  readonly config: string | object;
  /** Default `admin`. */
  readonly user?: string;
  /** The path of a kubeconfig, such as that of a proxy. Default: that of the user. */
  readonly kubeconfig?: string;
  /** Flags in addition to `--config-file`, `--kubeconfig` and telemetry on port 0. A repeated flag takes precedence. */
  readonly flags?: readonly string[];
  /** Flags of node. */
  readonly nodeFlags?: readonly string[];
  /** Environment variables in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Expected errors. `errorLines` is matched against whole JSON lines. */
  readonly expects?: { readonly exit?: boolean; readonly errorLines?: RegExp; readonly stderr?: RegExp };
}

/** How a process ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running weeder. */
export interface RunningWeeder {
  readonly log: WeederLog;
  /** Resolves when the caches are synced. */
  ready(): Promise<void>;
  /** Sends SIGTERM, and resolves when the process has ended. Further calls do not send it again. */
  stop(): Promise<Ending>;
}

export interface WeederProcess extends RunningWeeder {
  readonly pid: number;
  readonly exited: Promise<Ending>;
  /** The standard error output so far. */
  stderr(): string;
  signal(signal: NodeJS.Signals): void;
  /** Sends SIGKILL, and resolves when the process has ended. */
  kill(): Promise<Ending>;
}

let folder: string | undefined;
let started = 0;

/** Returns a path for a file that is removed when this process ends. */
export function temporaryFile(name: string): string {
  if (folder === undefined) {
    folder = mkdtempSync(join(tmpdir(), 'weeder-process-'));
    guardFolder(folder);
  }
  started += 1;
  return join(folder, `${started}-${name}`);
}

/**
 * Starts `weeder run` from its sources, and stops it when the test ends. The test fails if weeder exited before, had an
 * exit code other than 0, logged an error, or wrote to its standard error output.
 */
export function startWeeder(t: Cleanup, options: StartOptions): WeederProcess {
  const { cluster, config, user = 'admin', flags = [], nodeFlags = [], env = {}, expects = {} } = options;
  const configFile = temporaryFile('config.yaml');
  writeFileSync(configFile, typeof config === 'string' ? config : JSON.stringify(config));
  const kubeconfig = options.kubeconfig ?? cluster.kubeconfigFor(user);
  const args = [
    `--config-file=${configFile}`,
    `--kubeconfig=${kubeconfig}`,
    '--health-bind-addr=0',
    '--metrics-bind-addr=0',
    // The default is for a person who waits; on a busy machine an answer through a proxy takes longer.
    '--api-server-timeout=0',
    ...flags,
  ];
  const command = [...nodeFlags, join('src', 'cli', 'weeder.ts'), 'run', ...args];
  return superviseWeeder(t, process.execPath, command, expects, env);
}

/** Runs a command line that starts weeder, such as `npm start -- …`, in the checkout. */
export function superviseWeeder(
  t: Cleanup,
  command: string,
  args: readonly string[],
  expects: NonNullable<StartOptions['expects']> = {},
  env: Readonly<Record<string, string>> = {},
): WeederProcess {
  // Detached, so that signals can be sent to the process group: npm and its shell do not forward SIGTERM.
  const options = { cwd: checkout, env: { ...environment(), ...env }, detached: true } as const;
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const pidFile = temporaryFile('weeder.pid');
  writeFileSync(pidFile, `-${child.pid}`);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const log = collectLog((line) => {
    errors += `(not a log line) ${line}\n`;
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => log.write(text));

  let isEnding = false;
  const exited = endOf(child).then((ending) => {
    rmSync(pidFile, { force: true });
    return ending;
  });
  const signalGroup = (signal: NodeJS.Signals) => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, signal);
    }
  };
  const end = (signal: NodeJS.Signals) => {
    if (!isEnding) signalGroup(signal);
    isEnding = true;
    return exited;
  };
  const early = exited.then(({ code, signal }) => {
    throw new Error(`weeder ended (${signal ?? code}) before it was ready: ${errors}`);
  });
  early.catch(() => {});

  cleanUp(t, async () => {
    const wasRunning = child.exitCode === null && child.signalCode === null;
    const mustRun = !isEnding && expects.exit !== true;
    const { code } = await end('SIGTERM');
    const deviations = unexpectedIn(log, errors, expects);
    if (mustRun && !wasRunning) deviations.push(`it exited unexpectedly with code ${code}`);
    if (mustRun && wasRunning && code !== 0) deviations.push(`it stopped with exit code ${code}`);
    if (deviations.length > 0) throw new Error(`unexpected behaviour of weeder: ${deviations.join('; ')}`);
  });
  return {
    pid: child.pid ?? -1,
    log,
    exited,
    stderr: () => errors,
    signal: signalGroup,
    ready: async () => {
      await Promise.race([log.until('caches synced, starting controller'), early]);
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

/** Returns messages for unexpected errors in a log and in an error output. */
export function unexpectedIn(log: WeederLog, errors: string, expects: NonNullable<StartOptions['expects']>): string[] {
  const unexpected = log.lines
    .filter((line) => line.level === 'error' || line.level === 'fatal')
    .map((line) => JSON.stringify(line))
    .filter((line) => expects.errorLines?.test(line) !== true);
  const allowed = errors.trim();
  return [
    ...unexpected.map((line) => `it logged ${line}`),
    ...(allowed !== '' && expects.stderr?.test(allowed) !== true ? [`it wrote to stderr: ${allowed}`] : []),
  ];
}

/** The environment of this process without the variables of node's test runner and without the user's cluster. */
function environment(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _context, KUBECONFIG: _kubeconfig, NODE_OPTIONS: _options, ...env } = process.env;
  return env;
}

/** Resolves when the process has ended, or could not be started. */
export function endOf(child: ChildProcess): Promise<Ending> {
  const { promise, resolve } = Promise.withResolvers<Ending>();
  child.once('error', () => resolve({ code: null, signal: null }));
  child.once('close', (code, signal) => resolve({ code, signal }));
  return promise;
}
