import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const checkout = fileURLToPath(new URL('../../..', import.meta.url));

/** One instruction: `COPY` and its arguments, on one line. */
export interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** The instructions of a Dockerfile, without comments and with continued lines joined. */
export function instructionsOf(text: string): Instruction[] {
  const lines = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replace(/\\\n/g, ' ')
    .split('\n');
  return lines.flatMap((line) => {
    const [, name, rest] = /^([A-Z]+)\s+(.+)$/.exec(line.trim()) ?? [];
    return name === undefined || rest === undefined ? [] : [{ name, rest }];
  });
}

/** Returns the words of an instruction in exec form. */
export function execForm({ rest }: Instruction): string[] {
  return z.array(z.string()).parse(JSON.parse(rest));
}

/** A stage after its last instruction. */
export interface Stage {
  /** The local folder that stands for its root. */
  readonly root: string;
  readonly instructions: readonly Instruction[];
}

/**
 * Executes a Dockerfile without containers: each stage's root is a folder, absolute paths in commands are moved into
 * it, Node and npm are those of the test. One shortcut: an installation of everything is a link to the checkout's own,
 * which was made in the same way. Returns the stages in their order.
 */
export function replay(file: string, context: string, folder: string): Stage[] {
  const stages: OpenStage[] = [];
  for (const instruction of instructionsOf(readFileSync(file, 'utf8'))) {
    const { name, rest } = instruction;
    if (name === 'FROM') stages.push(openStage(join(folder, `stage-${stages.length}`), rest));
    const stage = stages.at(-1);
    if (stage === undefined) continue;
    stage.instructions.push(instruction);
    if (name === 'WORKDIR') changeFolder(stage, rest);
    if (name === 'COPY') copyInto(stage, rest, (from) => (from === undefined ? context : rootOf(stages, from)));
    if (name === 'RUN') runIn(stage, rest);
  }
  return stages;
}

interface OpenStage extends Stage {
  readonly name: string;
  readonly instructions: Instruction[];
  cwd: string;
}

function openStage(root: string, from: string): OpenStage {
  mkdirSync(root);
  return { root, name: / AS (\S+)$/.exec(from)?.[1] ?? '', cwd: root, instructions: [] };
}

function rootOf(stages: readonly OpenStage[], name: string): string {
  const found = stages.find((stage) => stage.name === name);
  if (found === undefined) throw new Error(`COPY from a stage that is not there: ${name}`);
  return found.root;
}

function changeFolder(stage: OpenStage, path: string): void {
  stage.cwd = join(stage.root, path);
  mkdirSync(stage.cwd, { recursive: true });
}

/** Copies into a folder if the target says so (`dir/`, `./`), else to the target itself. */
function copyInto({ root, cwd }: OpenStage, rest: string, source: (from: string | undefined) => string): void {
  const [, from, paths = ''] = /^(?:--from=(\S+) )?(.*)$/.exec(rest) ?? [];
  const words = paths.split(' ');
  const target = words.at(-1) ?? '';
  const folder = target.startsWith('/') ? root : cwd;
  for (const path of words.slice(0, -1)) {
    const to = target.endsWith('/') ? join(folder, target, basename(path)) : join(folder, target);
    mkdirSync(dirname(to), { recursive: true });
    cpSync(join(source(from), path), to, { recursive: true });
  }
}

function runIn({ root, cwd }: OpenStage, command: string): void {
  if (command === 'npm ci --ignore-scripts') {
    symlinkSync(join(checkout, 'node_modules'), join(cwd, 'node_modules'));
    return;
  }
  const words = command.split(' ').map((word) => (word.startsWith('/') ? join(root, word) : word));
  if (words[0] === 'npm') words.push('--prefer-offline');
  execFileSync(words[0] ?? '', words.slice(1), { cwd, env: environment(), stdio: 'pipe' });
}

/** Excludes the programs of the checkout's development dependencies; Node is the one that runs the test. */
export function environment(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _context, NODE_OPTIONS: _options, ...env } = process.env;
  const others = (env['PATH'] ?? '').split(delimiter).filter((each) => !each.includes('node_modules'));
  return { ...env, PATH: [dirname(process.execPath), ...others].join(delimiter) };
}
