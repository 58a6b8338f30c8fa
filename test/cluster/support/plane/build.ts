import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { glob, mkdir, mkdtemp, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { cacheFolder } from '../../../../scripts/cacheFolder.ts';
import { guardFolder, SetupProblem, startProcess } from './process.ts';

const lockIsStaleAfter = 30_000;
const run = promisify(execFile);
const say = (line: string): void => console.error(line);

/** A Go module of this repository whose `tool` lines name the programs that the tests use. */
export interface ToolModule {
  /** The prefix of the name of the built folder. */
  readonly name: string;
  /** The folder of go.mod. Default: that of its name in `test/cluster`. */
  readonly folder?: string;
  /** Matches the version in go.mod. */
  readonly version: RegExp;
  /** The name of the programs in messages. */
  readonly what: string;
  /** The duration of the first build in messages. */
  readonly takes: string;
  /** What else helps where Go cannot build them, as the end of a message. */
  readonly otherwise?: string;
  readonly linkerFlags?: (version: string) => readonly string[];
  /** File names in place of those that Go derives from the packages' paths. */
  readonly renamed?: Readonly<Record<string, string>>;
}

/**
 * Returns the folder with the programs of a module. Builds them if this machine has not built this version with this Go
 * yet, and writes the progress to the error output. Throws a SetupProblem if the build fails.
 */
export async function builtTools(tools: ToolModule): Promise<string> {
  const cache = cacheFolder();
  const { key, version } = await identify(tools);
  const target = join(cache, key);
  await mkdir(cache, { recursive: true });
  const lock = join(cache, `${key}.lock`);
  let hasReported = false;
  while (!existsSync(target)) {
    if (await take(lock)) {
      const heartbeat = setInterval(() => void touch(lock), lockIsStaleAfter / 6);
      try {
        if (!existsSync(target)) await build(tools, { cache, target, version });
      } finally {
        clearInterval(heartbeat);
        await rm(lock, { force: true });
      }
    } else {
      if (!hasReported) say(`another process builds ${tools.what} into ${target}: waiting for it`);
      hasReported = true;
      await pause(500);
    }
  }
  return target;
}

function folderOf({ name, folder }: ToolModule): string {
  return folder ?? join(import.meta.dirname, '..', '..', name);
}

async function identify(tools: ToolModule): Promise<{ key: string; version: string }> {
  const goModule = folderOf(tools);
  const goMod = await readFile(join(goModule, 'go.mod'), 'utf8');
  const sources = (await Array.fromAsync(glob('{go.sum,**/*.go}', { cwd: goModule }))).sort();
  const go = await run('go', ['env', 'GOVERSION', 'GOOS', 'GOARCH'], { cwd: goModule }).catch((error: unknown) => {
    throw new SetupProblem(whyNoGo(tools, error));
  });
  const version = tools.version.exec(goMod)?.[1] ?? 'v0.0.0';
  const hash = createHash('sha256').update(goMod);
  for (const source of sources) hash.update(await readFile(join(goModule, source)));
  const key = hash.update(go.stdout).digest('hex').slice(0, 12);
  return { key: `${tools.name}-${version}-${key}`, version };
}

function whyNoGo(tools: ToolModule, error: unknown): string {
  const absent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  const why = absent ? 'there is no `go` in PATH' : `\`go env\` failed in ${folderOf(tools)}: ${text(error)}`;
  return `This needs ${tools.what}, which cannot be built because ${why}. Install Go 1.26 or newer${tools.otherwise ?? ''}.`;
}

interface Place {
  readonly cache: string;
  readonly target: string;
  readonly version: string;
}

async function build(tools: ToolModule, { cache, target, version }: Place): Promise<void> {
  const goModule = folderOf(tools);
  const dir = await mkdtemp(join(cache, 'building-'));
  const release = guardFolder(dir);
  const started = performance.now();
  const seconds = (): string => `${Math.round((performance.now() - started) / 1000)} s`;
  say(`building ${tools.what} (${version}) into ${target}: about ${tools.takes} the first time`);
  const progress = setInterval(() => say(`still building ${tools.what}, ${seconds()} so far`), 60_000);
  try {
    const bin = join(dir, 'bin');
    await mkdir(bin);
    // Without cgo, the result does not depend on the C compiler and C library of the machine.
    const env = { ...process.env, CGO_ENABLED: '0' };
    const flags = ['-s -w', ...(tools.linkerFlags?.(version) ?? [])].join(' ');
    const go = startProcess(dir, 'go-build', 'go', ['build', '-ldflags', flags, '-o', `${bin}/`, 'tool'], {
      cwd: goModule,
      env,
    });
    const how = await go.exited;
    if (how !== 'ended with exit code 0') {
      throw new SetupProblem(`\`go build tool\` in ${goModule} ${how} after ${seconds()}; it said:\n${go.tail()}`);
    }
    for (const [from, to] of Object.entries(tools.renamed ?? {})) await rename(join(bin, from), join(bin, to));
    await rename(bin, target);
    say(`built ${tools.what} in ${seconds()}`);
  } finally {
    clearInterval(progress);
    release();
  }
}

/** Returns whether this process has acquired the lock. A lock that its holder no longer renews is taken over. */
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
