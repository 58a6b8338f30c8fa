import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { SetupProblem } from '../../test/cluster/support/plane/process.ts';
import { isExecutable } from '../../test/support/isExecutable.ts';

const run = promisify(execFile);

/** What this machine has of what the benchmark needs and does not bring along. */
export interface Machine {
  /** The folder of the CNI plugins. */
  readonly plugins: string;
  /** `containerd` and its version. */
  readonly runtime: string;
}

/** Program, and the Debian package that has it. */
const programs = [
  ['containerd', 'containerd'],
  ['ctr', 'containerd'],
  ['runc', 'runc'],
  ['unshare', 'util-linux'],
  ['bash', 'bash'],
  ['tar', 'tar'],
] as const;

const pluginFolders = ['/usr/lib/cni', '/opt/cni/bin', '/usr/libexec/cni'];

/** Looks for it, installs nothing. Throws a SetupProblem that names in one sentence all that is missing. */
export async function examineMachine(): Promise<Machine> {
  const missing = programs.filter(([program]) => !isInPath(program)).map(([program, from]) => `${program} (${from})`);
  const plugins = pluginFolders.find((folder) => existsSync(join(folder, 'loopback')));
  if (plugins === undefined) missing.push('the CNI plugins (containernetworking-plugins)');
  if (process.platform !== 'linux') missing.unshift('Linux');
  else if (process.getuid?.() !== 0) missing.unshift('root');
  if (missing.length > 0 || plugins === undefined) {
    throw new SetupProblem(
      `This benchmark runs a real kubelet and needs what is missing here (in parentheses Debian's package): ${missing.join(', ')}.`,
    );
  }
  const { stdout } = await run('containerd', ['--version']);
  return { plugins, runtime: `containerd ${/\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? stdout.trim()}` };
}

function isInPath(program: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.some((folder) => isExecutable(join(folder, program)));
}
