import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Cleanup, cleanUp } from './cleanup.ts';
import { eventually } from './eventually.ts';

import type { Cluster } from './plane/access.ts';
import { type Ending, endOf, temporaryFile } from './weeder.ts';

/** `weeder demo` on a real cluster. */
export interface DemoProcess {
  /** Waits until the demo prints its namespace. */
  namespace(): Promise<string>;
  /** Waits until the standard output matches. */
  untilPrinted(pattern: RegExp): Promise<RegExpMatchArray>;
  readonly exited: Promise<Ending>;
  stdout(): string;
  stderr(): string;
  signal(signal: NodeJS.Signals): void;
}

/** Starts the demo from its sources, and kills it when the test ends. */
export function startDemo(t: Cleanup, cluster: Cluster, flags: readonly string[], user = 'admin'): DemoProcess {
  const checkout = join(import.meta.dirname, '..', '..', '..');
  const args = ['src/cli/weeder.ts', 'demo', `--kubeconfig=${cluster.kubeconfigFor(user)}`, ...flags];
  const child = spawn(process.execPath, args, { cwd: checkout, stdio: ['ignore', 'pipe', 'pipe'] });
  // The guard of the folder ends the demo if this process ends unexpectedly.
  const pidFile = temporaryFile('demo.pid');
  writeFileSync(pidFile, String(child.pid));
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const exited = endOf(child).finally(() => rmSync(pidFile, { force: true }));
  cleanUp(t, async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const untilPrinted = (pattern: RegExp) =>
    eventually(
      (saw) => {
        saw(stdout + stderr);
        return stdout.match(pattern);
      },
      { what: `${pattern} on the output of the demo` },
    );
  return {
    untilPrinted,
    async namespace() {
      const [, name = ''] = await untilPrinted(/in a namespace of its own: (weeder-demo-[0-9a-f]{8})\.$/m);
      return name;
    },
    exited,
    stdout: () => stdout,
    stderr: () => stderr,
    signal: (signal) => void child.kill(signal),
  };
}
