import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { SetupProblem } from '../../test/cluster/support/plane/process.ts';
import { isExecutable } from '../../test/support/isExecutable.ts';

const run = promisify(execFile);

/** The programs of this machine that a node needs. */
export interface Machine {
  /** The folder of the CNI plugins. */
  readonly plugins: string;
  /** `containerd` and its version. */
  readonly runtime: string;
}

/** Each program with its Debian package. */
const programs = [
  ['containerd', 'containerd'],
  ['ctr', 'containerd'],
  ['runc', 'runc'],
  ['unshare', 'util-linux'],
  ['bash', 'bash'],
  ['tar', 'tar'],
] as const;

const pluginFolders = ['/usr/lib/cni', '/opt/cni/bin', '/usr/libexec/cni'];

/**
 * Finds the programs, and `others`, and installs nothing. Throws a SetupProblem that names everything that is missing to
 * `what`, such as `This benchmark`.
 */
export async function checkMachine(
  what: string,
  others: readonly (readonly [program: string, from: string])[] = [],
): Promise<Machine> {
  const missing = [...programs, ...others]
    .filter(([program]) => !isInPath(program))
    .map(([program, from]) => `${program} (${from})`);
  const plugins = pluginFolders.find((folder) => existsSync(join(folder, 'loopback')));
  if (plugins === undefined) missing.push('the CNI plugins (containernetworking-plugins)');
  if (process.platform !== 'linux') missing.unshift('Linux');
  else if (process.getuid?.() !== 0) missing.unshift('root');
  if (missing.length > 0 || plugins === undefined) {
    throw new SetupProblem(
      `${what} runs a real kubelet and needs programs that are missing here (Debian packages in parentheses): ${missing.join(', ')}.`,
    );
  }
  const { stdout } = await run('containerd', ['--version']);
  return { plugins, runtime: `containerd ${/\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? stdout.trim()}` };
}

function isInPath(program: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.some((folder) => isExecutable(join(folder, program)));
}
