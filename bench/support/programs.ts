import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { type ManagedProcess, startProcess } from '../../test/cluster/support/plane/process.ts';
import { freePort } from '../../test/support/api/freePort.ts';
import { bundle, bundled } from '../../test/support/bundle.ts';
import { execForm, instructionsOf } from '../../test/support/docs/dockerfile.ts';
import { monotonic } from './processFigures.ts';

/** A program that has the complete state of its cluster. */
export interface Program {
  readonly pid: number;
  /** From the start of the process until it had it. Milliseconds. */
  readonly startToSynced: number;
  /** How it fares, and the last lines of what it wrote: for an error. */
  story(): string;
  /** All that it has written. */
  log(): string;
  /** SIGKILL: nothing that it still wanted to write reaches the next round. */
  kill(): Promise<void>;
  /** SIGTERM, for what is written at the end only, such as a profile. */
  end(): Promise<void>;
}

const syncedWithin = 120_000;
const Container = z.object({ env: z.array(z.object({ name: z.string(), value: z.string().optional() })) });
const Deployment = z.object({
  spec: z.object({ template: z.object({ spec: z.object({ containers: z.array(Container) }) }) }),
});
let started = 0;

/** Starts node with these words and waits until it has written `synced`; its output and its pid are files in `dir`. */
export async function startProgram(
  dir: string,
  words: readonly string[],
  synced: string,
  env: NodeJS.ProcessEnv = {},
): Promise<Program> {
  started += 1;
  const from = monotonic();
  const child = startProcess(dir, `program-${started}`, process.execPath, words, { env: { ...process.env, ...env } });
  await said(child, synced);
  const startToSynced = monotonic() - from;
  return {
    pid: child.pid,
    startToSynced,
    story: () => `${child.isRunning() ? 'it runs' : 'it has ended'}; it wrote last:\n${child.tail()}`,
    log: () => readFileSync(child.logFile, 'utf8'),
    kill: () => child.kill(),
    end: async () => {
      child.signal('SIGTERM');
      await child.exited;
    },
  };
}

/** What the image gives to node: the memory that is measured is the one that users see. */
export function asInImage(): { readonly flags: readonly string[]; readonly env: NodeJS.ProcessEnv } {
  const instructions = instructionsOf(readFileSync(join(import.meta.dirname, '../../Dockerfile'), 'utf8'));
  const named = (name: string) => instructions.filter((each) => each.name === name);
  return {
    flags: named('ENTRYPOINT')
      .flatMap(execForm)
      .filter((word) => word.startsWith('--')),
    env: Object.fromEntries(named('ENV').map(({ rest }) => rest.split('='))),
  };
}

/**
 * What a manifest of deploy/ adds to that, the base's own or that of a component: the less memory V8 may have in the
 * end, the sooner it collects.
 */
export function asDeployed(manifest = 'base/deployment.yaml'): NodeJS.ProcessEnv {
  const text = readFileSync(join(import.meta.dirname, '../../deploy', manifest), 'utf8');
  const { containers } = Deployment.parse(parse(text)).spec.template.spec;
  const variables = containers.flatMap(({ env }) => env);
  return { NODE_OPTIONS: variables.find(({ name }) => name === 'NODE_OPTIONS')?.value };
}

async function said(child: ManagedProcess, words: string): Promise<void> {
  const deadline = monotonic() + syncedWithin;
  while (!readFileSync(child.logFile, 'utf8').includes(words)) {
    if (!child.isRunning() || monotonic() > deadline) {
      const how = child.isRunning() ? 'it runs' : await child.exited;
      throw new Error(`${child.name} did not say “${words}” (${how}):\n${child.tail()}`);
    }
    await pause(2);
  }
}

/** The production bundle; for a profile one whose functions can be traced to their modules. */
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

/** How Node is told to run a program. */
export interface Invocation {
  readonly program: string;
  /** Flags of Node's. */
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/**
 * weeder as the image and the component of the observer run it; as `npx weeder` does, by the bundle's first line; or as
 * `npm start` does, from sources.
 */
export async function invocation(as: 'deployed' | 'npx' | 'npm start', isProfiled = false): Promise<Invocation> {
  if (as === 'npm start') {
    const { scripts } = Scripts.parse(JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')));
    const words = scripts.start.split(' ').slice(1);
    return { program: join(checkout, words.at(-1) ?? ''), flags: words.slice(0, -1), env: {} };
  }
  const program = await weederProgram(isProfiled);
  if (as === 'deployed') {
    const { flags, env } = asInImage();
    return { program, flags, env: { ...env, ...asDeployed('components/observer-named/memory.yaml') } };
  }
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
  /** Default: that of the image. */
  readonly invocation?: Omit<Invocation, 'program'>;
  readonly flags?: readonly string[];
  readonly nodeFlags?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** What it says when it has the complete state; default: that of the weeder. */
  readonly synced?: string;
}

export interface WeederProgram extends Program {
  readonly metricsUrl: string;
  readonly actorsUrl: string;
}

/** Starts `weeder run` with its default flags, its pages on loopback ports of their own. */
export async function startWeederProgram(start: WeederStart): Promise<WeederProgram> {
  const { program, dir, kubeconfig, flags = [], nodeFlags = [], synced = 'caches synced, starting controller' } = start;
  const configFile = join(dir, 'weeder.yaml');
  writeFileSync(configFile, JSON.stringify(start.config));
  const [metrics, health] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const pages = [`--metrics-bind-addr=${metrics}`, `--health-bind-addr=${health}`];
  const words = [program, 'run', `--config-file=${configFile}`, `--kubeconfig=${kubeconfig}`, ...pages, ...flags];
  const how = start.invocation ?? asInImage();
  const all = [...how.flags, ...nodeFlags, ...words];
  const running = await startProgram(dir, all, synced, { ...how.env, ...start.env });
  return { ...running, metricsUrl: `http://${metrics}/metrics`, actorsUrl: `http://${health}/debug/actors` };
}
