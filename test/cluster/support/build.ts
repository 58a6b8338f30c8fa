import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { guardFolder, SetupProblem, startProcess } from './process.ts';

const goModule = join(import.meta.dirname, '..', 'controlplane');
const lockIsStaleAfter = 30_000;
const run = promisify(execFile);

/** Where the built control plane is kept between runs, outside the checkout. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  return env['WEEDER_CACHE'] ?? join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'weeder');
}

/**
 * The folder with kube-apiserver, kube-controller-manager and etcd, built from `test/cluster/controlplane` when this
 * machine has not built this version with this Go yet. Throws a SetupProblem when that is not possible.
 */
export async function builtAssets(say: (line: string) => void): Promise<string> {
  const cache = cacheFolder();
  const { key, kubernetes } = await identify();
  const target = join(cache, key);
  await mkdir(cache, { recursive: true });
  const lock = join(cache, `${key}.lock`);
  let saidSo = false;
  while (!existsSync(target)) {
    if (await take(lock)) {
      const heartbeat = setInterval(() => void touch(lock), lockIsStaleAfter / 6);
      try {
        if (!existsSync(target)) await build(cache, target, kubernetes, say);
      } finally {
        clearInterval(heartbeat);
        await rm(lock, { force: true });
      }
    } else {
      if (!saidSo) say(`another process builds the control plane into ${target}: waiting for it`);
      saidSo = true;
      await pause(500);
    }
  }
  return target;
}

async function identify(): Promise<{ key: string; kubernetes: string }> {
  const goMod = await readFile(join(goModule, 'go.mod'), 'utf8');
  const goSum = await readFile(join(goModule, 'go.sum'), 'utf8');
  const go = await run('go', ['env', 'GOVERSION', 'GOOS', 'GOARCH'], { cwd: goModule }).catch((error: unknown) => {
    throw new SetupProblem(whyNoGo(error));
  });
  const kubernetes = /k8s\.io\/kubernetes (v[\d.]+)/.exec(goMod)?.[1] ?? 'v0.0.0';
  const hash = createHash('sha256').update(goMod).update(goSum).update(go.stdout).digest('hex').slice(0, 12);
  return { key: `controlplane-${kubernetes}-${hash}`, kubernetes };
}

function whyNoGo(error: unknown): string {
  const absent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  const why = absent ? 'there is no `go` in PATH' : `\`go env\` failed in ${goModule}: ${text(error)}`;
  return (
    `The cluster tests need kube-apiserver, kube-controller-manager and etcd: KUBEBUILDER_ASSETS is not set, and they ` +
    `cannot be built because ${why}. Install Go 1.26 or newer, or set KUBEBUILDER_ASSETS to a folder with the three.`
  );
}

async function build(cache: string, target: string, kubernetes: string, say: (line: string) => void): Promise<void> {
  const dir = await mkdtemp(join(cache, 'building-'));
  const release = guardFolder(dir);
  const started = performance.now();
  const seconds = (): string => `${Math.round((performance.now() - started) / 1000)} s`;
  say(`building the control plane (Kubernetes ${kubernetes}, etcd) into ${target}: about 5 minutes the first time`);
  const progress = setInterval(() => say(`still building the control plane, ${seconds()} so far`), 60_000);
  try {
    const bin = join(dir, 'bin');
    await mkdir(bin);
    // Without cgo the result depends neither on a C compiler nor on the machine's C library.
    const env = { ...process.env, CGO_ENABLED: '0' };
    const args = ['build', '-ldflags', linkerFlags(kubernetes), '-o', `${bin}/`, 'tool'];
    const go = startProcess(dir, 'go-build', 'go', args, { cwd: goModule, env });
    const how = await go.exited;
    if (how !== 'ended with exit code 0') {
      throw new SetupProblem(`\`go build tool\` in ${goModule} ${how} after ${seconds()}; it said:\n${go.tail()}`);
    }
    // etcd's main package is called `server`, and so is what Go makes of it.
    await rename(join(bin, 'server'), join(bin, 'etcd'));
    await rename(bin, target);
    say(`built the control plane in ${seconds()}`);
  } finally {
    clearInterval(progress);
    release();
  }
}

/** Small binaries that report the version they are: built from a module, they would call themselves v0.0.0-master. */
function linkerFlags(kubernetes: string): string {
  const [major = '', minor = ''] = kubernetes.slice(1).split('.');
  const set = (name: string, value: string): string => `-X k8s.io/component-base/version.${name}=${value}`;
  return ['-s -w', set('gitVersion', kubernetes), set('gitMajor', major), set('gitMinor', minor)].join(' ');
}

/** True when this process now holds the lock; a lock whose holder no longer touches it is taken away. */
async function take(lock: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx')).close();
    return true;
  } catch {
    const touched = await stat(lock).then(
      (found) => found.mtimeMs,
      () => Date.now(),
    );
    if (Date.now() - touched > lockIsStaleAfter) await rm(lock, { force: true });
    return false;
  }
}

async function touch(lock: string): Promise<void> {
  const now = new Date();
  await utimes(lock, now, now).catch(() => {});
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
