import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { imageConfig } from '../../scripts/image/config.ts';
import { type ManagedProcess, startProcess } from '../../test/cluster/support/plane/process.ts';
import { freePort } from '../../test/support/api/freePort.ts';
import { bundle, bundled } from '../../test/support/bundle.ts';
import { monotonic } from './processFigures.ts';

/** A running program whose caches are synced. */
export interface Program {
  readonly pid: number;
  /** From the start of the process until then. Milliseconds. */
  readonly startToSynced: number;
  /** Whether it runs, and its last log lines, for an error message. */
  describe(): string;
  /** Its whole output. */
  log(): string;
  /** Sends SIGKILL, so that no pending write reaches the next round. */
  kill(): Promise<void>;
  /** Sends SIGTERM, for output that is written only at the end, such as a profile. */
  end(): Promise<void>;
}

const syncTimeout = 120_000;
const Container = z.object({ env: z.array(z.object({ name: z.string(), value: z.string().optional() })) });
const Deployment = z.object({
  spec: z.object({ template: z.object({ spec: z.object({ containers: z.array(Container) }) }) }),
});
let started = 0;

interface ProgramOptions {
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** The only core on which it runs. Default: those of this process. */
  readonly core?: number | undefined;
}

/** Starts node with these arguments and waits until it writes `synced`. Its output and its pid are files in `dir`. */
export async function startProgram(
  dir: string,
  words: readonly string[],
  synced: string,
  { env, core }: ProgramOptions = {},
): Promise<Program> {
  started += 1;
  const from = monotonic();
  const node = [process.execPath, ...words];
  const [binary = '', ...args] = core === undefined ? node : ['taskset', '-c', String(core), ...node];
  const child = startProcess(dir, `program-${started}`, binary, args, { env: { ...process.env, ...env } });
  await untilLogged(child, synced);
  const startToSynced = monotonic() - from;
  return {
    pid: child.pid,
    startToSynced,
    describe: () => `${child.isRunning() ? 'it runs' : 'it has ended'}; its last output:\n${child.tail()}`,
    log: () => readFileSync(child.logFile, 'utf8'),
    kill: () => child.kill(),
    end: async () => {
      child.signal('SIGTERM');
      await child.exited;
    },
  };
}

/** The flags and variables that the image gives to node. */
export function asInImage(): Omit<Invocation, 'program'> {
  return {
    flags: imageConfig.Entrypoint.filter((word) => word.startsWith('--')),
    env: Object.fromEntries(imageConfig.Env.filter((each) => !each.startsWith('PATH=')).map((each) => each.split('='))),
  };
}

/**
 * The flags and variables of the image, with those that a manifest of deploy/ adds: the base, or a component. The lower
 * the limit of V8's memory, the sooner V8 collects.
 */
export function asDeployed(manifest = 'base/deployment.yaml'): Omit<Invocation, 'program'> {
  const text = readFileSync(join(import.meta.dirname, '../../deploy', manifest), 'utf8');
  const { containers } = Deployment.parse(parse(text)).spec.template.spec;
  const options = containers.flatMap(({ env }) => env).find(({ name }) => name === 'NODE_OPTIONS')?.value;
  const { flags, env } = asInImage();
  return { flags, env: { ...env, NODE_OPTIONS: options } };
}

async function untilLogged(child: ManagedProcess, words: string): Promise<void> {
  const deadline = monotonic() + syncTimeout;
  while (!readFileSync(child.logFile, 'utf8').includes(words)) {
    if (!child.isRunning() || monotonic() > deadline) {
      const how = child.isRunning() ? 'it runs' : await child.exited;
      throw new Error(`${child.name} did not write “${words}” (${how}):\n${child.tail()}`);
    }
    await pause(2);
  }
}

/** The production bundle, or for a profile a bundle whose functions can be attributed to their modules. */
export function weederProgram(isProfiled = false): Promise<string> {
  if (!isProfiled) return bundle();
  return bundled(
    'profiled-weeder',
    'src/cli/weeder.ts',
    ['src/**/*.ts', 'machines/**/*.ts', 'generated/*.json'],
    'readable',
  );
}

export function bareProgram(isProfiled = false): Promise<string> {
  const [name, layout] = isProfiled ? (['profiled-bare', 'readable'] as const) : (['bare', 'dense'] as const);
  return bundled(name, 'bench/recovery/bare.ts', ['bench/recovery/bare.ts', 'bench/recovery/bareClient.ts'], layout);
}

/** How Node runs a program. */
export interface Invocation {
  readonly program: string;
  /** Flags of Node. */
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/**
 * weeder as the image with the component of the observer runs it, as `npx weeder` runs it (by the first line of the
 * bundle), or as `npm start` runs it from sources.
 */
export async function invocation(as: 'deployed' | 'npx' | 'npm start', isProfiled = false): Promise<Invocation> {
  if (as === 'npm start') {
    const { scripts } = Scripts.parse(JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')));
    const words = scripts.start.split(' ').slice(1);
    return { program: join(checkout, words.at(-1) ?? ''), flags: words.slice(0, -1), env: {} };
  }
  const program = await weederProgram(isProfiled);
  if (as === 'deployed') return { program, ...asDeployed('components/observer-named/memory.yaml') };
  const [first = ''] = readFileSync(program, 'utf8').split('\n', 1);
  return { program, flags: first.split(' ').filter((word) => word.startsWith('--')), env: {} };
}

const checkout = join(import.meta.dirname, '../..');
const Scripts = z.object({ scripts: z.object({ start: z.string() }) });

export interface WeederStart {
  readonly program: string;
  /** Where its config file is written. */
  readonly dir: string;
  readonly kubeconfig: string;
  readonly config: object;
  /** Default: as the base of deploy/ runs the image. */
  readonly invocation?: Omit<Invocation, 'program'>;
  readonly flags?: readonly string[];
  readonly nodeFlags?: readonly string[];
  /** The only core on which it runs. Default: those of this process. */
  readonly core?: number | undefined;
  /** The log message when its caches are synced. Default: that of the weeder. */
  readonly synced?: string;
}

export interface WeederProgram extends Program {
  readonly metricsUrl: string;
  readonly actorsUrl: string;
}

/** Starts `weeder run` with its default flags, and its endpoints on free loopback ports. */
export async function startWeederProgram(start: WeederStart): Promise<WeederProgram> {
  const { program, dir, kubeconfig, flags = [], nodeFlags = [], synced = 'caches synced, starting controller' } = start;
  const configFile = join(dir, 'weeder.yaml');
  writeFileSync(configFile, JSON.stringify(start.config));
  const [metrics, health] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const pages = [`--metrics-bind-addr=${metrics}`, `--health-bind-addr=${health}`];
  const words = [program, 'run', `--config-file=${configFile}`, `--kubeconfig=${kubeconfig}`, ...pages, ...flags];
  const how = start.invocation ?? asDeployed();
  const args = [...how.flags, ...nodeFlags, ...words];
  const running = await startProgram(dir, args, synced, { env: how.env, core: start.core });
  return { ...running, metricsUrl: `http://${metrics}/metrics`, actorsUrl: `http://${health}/debug/actors` };
}
