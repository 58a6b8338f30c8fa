import assert from 'node:assert/strict';
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { z } from 'zod';
import { readArguments } from '../../src/cli/flags/commandLine.ts';
import { createProgram } from '../../src/cli/program.ts';
import { bundle } from './bundle.ts';
import { oneByOne } from './oneByOne.ts';

/** The exit of a weeder process, and its output. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A weeder process that may still be running. */
export type Running = ReturnType<typeof startCli>;

export interface CliOptions {
  /** What its standard input has, which is a socket. */
  readonly input?: string;
  /** Added to `programEnv`. */
  readonly env?: NodeJS.ProcessEnv;
  /** Default: the production bundle of the current sources. */
  readonly program?: string;
  /** Default: the Node that runs the test. */
  readonly node?: string;
  readonly cwd?: string;
}

const bundled = await bundle();
const Answer = z.object({ code: z.number(), stdout: z.string(), stderr: z.string() });
const longest = 90_000;

/**
 * A folder for the files of one test file, and the $HOME of its processes; it is removed when the test process ends.
 */
export const folder = mkdtempSync(join(tmpdir(), 'weeder-cli-'));
after(() => {
  shared?.kill();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * The environment of the programs: without KUBECONFIG, so that no cluster can be found, and with the cache of compiled
 * code, because many tests start the same program.
 */
export const programEnv: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  HOME: folder,
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
};

/** Writes a file into the folder and returns its path. */
export function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

export const config = file(
  'weeder.yaml',
  'servicesAndDependantSelectors:\n  db:\n    podSelectors:\n      - matchLabels: {app: web}\n',
);

/** Starts the real program. It is killed if it runs longer than any test may take. */
export function startCli(words: readonly string[], options: CliOptions = {}) {
  const { env = {}, program = bundled, node = process.execPath, cwd = folder, input = '' } = options;
  const child = spawn(node, [program, ...words], {
    cwd,
    env: { ...programEnv, ...env },
    timeout: longest,
    killSignal: 'SIGKILL',
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // The program may end before it has read everything.
  child.stdin.on('error', () => {}).end(input);
  const { promise: ended, resolve, reject } = Promise.withResolvers<Ended>();
  child.once('error', reject);
  child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  const advised = ended.then((result) => withAdvice(words, result));
  return {
    child,
    ended: advised,
    /** The output so far. */
    stdout: () => stdout,
  };
}

/** Runs the real program until it exits. */
export function cli(words: readonly string[], options: CliOptions = {}): Promise<Ended> {
  return startCli(words, options).ended;
}

let shared: ChildProcess | undefined;
const queue = oneByOne();

/** A command line with what is added to `programEnv`. */
export interface Command {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Runs a command that ends by itself, such as `check`, `explain` or `replay`, in one process for all of them, one after
 * the other; see `cliProcess.ts`.
 */
export function sharedCli(words: readonly string[], env: Command['env'] = {}): Promise<Ended> {
  return queue(() => runShared({ words, env }));
}

function runShared(command: Command): Promise<Ended> {
  shared ??= fork(new URL('cliProcess.ts', import.meta.url), {
    cwd: folder,
    env: programEnv,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
  });
  const child = shared;
  child.ref();
  child.channel?.ref();
  const { promise, resolve, reject } = Promise.withResolvers<Ended>();
  const onExit = () => reject(new Error(`weeder ${command.words.join(' ')} ended its process`));
  child.once('exit', onExit);
  child.once('message', (answer) => {
    child.off('exit', onExit);
    // The tests may end while the process still waits for another command line.
    child.unref();
    child.channel?.unref();
    resolve({ signal: null, ...Answer.parse(answer) });
  });
  child.send({ ...command });
  return promise.then((ended) => withAdvice(command.words, ended));
}

const verbs = createProgram(() => {}).commands;

/**
 * Asserts of every command line of a test that the verb accepts each flag that its errors advise: each flag that they
 * name and the command line has not, and each in a command of weeder that they quote.
 */
function withAdvice(words: readonly string[], ended: Ended): Ended {
  const given = words.join(' ');
  // Commands of kubectl, and the advice of Node about certificates, are not about flags of weeder.
  const own = ended.stderr.replaceAll(/`.*?`|kubectl [^.;]*|--use-system-ca/g, '');
  const advice = [[readArguments(words).verb, own] as const];
  for (const [, verb = '', text = ''] of ended.stderr.matchAll(/`weeder ([a-z]+) (.*?)`/g)) advice.push([verb, text]);
  for (const [verb, text] of advice) {
    const { options = [] } = verbs.find((each) => each.name() === verb) ?? {};
    const accepted = options.flatMap(({ short, long }) => [short, long]);
    for (const [flag] of text.matchAll(/(?<=\s)(--[a-z][a-z-]+|-[a-zA-Z])(?=[\s.,;:=)]|$)/g))
      assert.ok(given.includes(flag) || accepted.includes(flag), `weeder ${verb} does not accept ${flag}: ${text}`);
  }
  return ended;
}

/** Asserts that the program wrote exactly one readable line to the error output; returns that line. */
export function oneSentence(ended: Ended, exitCode: number): string {
  assert.equal(ended.signal, null);
  assert.match(ended.stderr, /^weeder: [^\n]+[.?]\n$/, 'one line');
  assert.doesNotMatch(ended.stderr, /\n\s+at |node:internal|undefined|\[object|NaN|\.\.(?!\.|\/)/, 'a sentence');
  assert.equal(ended.code, exitCode, ended.stderr);
  return ended.stderr
    .trimEnd()
    .replace(/^weeder: /, '')
    .replaceAll(folder, '.');
}

/** Parses the log from the standard output, line by line. */
export function logOf({ stdout }: { readonly stdout: string }): readonly Readonly<Record<string, unknown>>[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Readonly<Record<string, unknown>> => JSON.parse(line));
}

/** The text of a kubeconfig; `user` and `cluster` are added to the entries. */
export function kubeconfig(
  server: string,
  user: object = { token: 'secret' },
  cluster: object = {},
  context: object = {},
): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'here', cluster: { server, ...cluster } }],
    users: [{ name: 'me', user }],
    contexts: [{ name: 'here', context: { cluster: 'here', user: 'me', ...context } }],
    'current-context': 'here',
  });
}
