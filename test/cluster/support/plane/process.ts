import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, globSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** A failure of the environment, such as a missing Go. Its message is printed without a stack. */
export class SetupProblem extends Error {
  override readonly name = 'SetupProblem';
}

/** A child process with a log file and a pid file, which ends at the latest with this process. */
export type ManagedProcess = ReturnType<typeof startProcess>;

interface ProcessOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts `binary` with its output in `dir/name.log` and its pid in `dir/name.pid`, which `guardFolder` uses. */
export function startProcess(
  dir: string,
  name: string,
  binary: string,
  args: readonly string[],
  options: ProcessOptions = {},
) {
  const logFile = join(dir, `${name}.log`);
  const log = openSync(logFile, 'a');
  const child = spawn(binary, args, { ...options, stdio: ['ignore', log, log] });
  closeSync(log);
  const { pid } = child;
  const pidFile = join(dir, `${name}.pid`);
  if (pid !== undefined) writeFileSync(pidFile, String(pid));
  let running = pid !== undefined;
  const exited = endOf(child).then((how) => {
    running = false;
    rmSync(pidFile, { force: true });
    return how;
  });
  // A running server does not prevent the exit of this process: the guard ends it afterwards.
  child.unref();
  const signal = (which: NodeJS.Signals): void => {
    if (running) child.kill(which);
  };
  return {
    name,
    pid: pid ?? -1,
    logFile,
    /** Resolves when the process has ended, with its exit code or signal as part of a message. */
    exited,
    isRunning: () => running,
    signal,
    /** Sends SIGSTOP, and waits until every thread has stopped, because a running one may answer another request. */
    pause: async () => {
      signal('SIGSTOP');
      while (running && threadStates(pid ?? -1).some((state) => state !== 'T')) await pause(1);
    },
    /** Sends SIGKILL, and waits until the process has ended. */
    kill: async () => {
      signal('SIGKILL');
      // The child is unreferenced, so a timer has to keep the event loop running.
      const keepAlive = setInterval(() => {}, 1000);
      await exited;
      clearInterval(keepAlive);
    },
    /** Returns the last lines of the log for an error message. */
    tail: (lines = 15) => tailOf(logFile, lines),
  };
}

function endOf(child: ChildProcess): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  child.once('error', (error) => resolve(`could not be started: ${error.message}`));
  child.once('exit', (code, signal) => resolve(signal ? `was ended by ${signal}` : `ended with exit code ${code}`));
  return promise;
}

/** Returns the state of each thread: `R` (running), `S` (sleeping), `T` (stopped). Empty without /proc. */
function threadStates(pid: number): string[] {
  return globSync(`/proc/${pid}/task/*/stat`).map((file) => {
    try {
      // The name of the command is in parentheses, and may contain spaces and parentheses.
      return readFileSync(file, 'utf8')
        .replace(/^.*\) /s, '')
        .charAt(0);
    } catch {
      return 'T'; // The thread has ended.
    }
  });
}

function tailOf(file: string, lines: number): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '(no log)';
  }
}

/**
 * Removes `dir`, and ends every process with a pid file in it, when this process ends for any reason. A shell waits
 * for the end of a pipe that only this process has open, which also detects a SIGKILL. The returned function removes
 * the folder immediately; the processes have to be ended before.
 */
export function guardFolder(dir: string): () => void {
  const script =
    'cat > /dev/null; for f in "$0"/*.pid; do [ -f "$f" ] && kill -9 "$(cat "$f")"; done; sleep 0.2; rm -rf "$0"';
  // Detached, so that the Ctrl-C that ends this process does not end the cleanup.
  const shell = spawn('sh', ['-c', script, dir], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  shell.unref();
  if (shell.stdin && 'unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref();
  return () => {
    rmSync(dir, { recursive: true, force: true });
    shell.stdin?.destroy();
  };
}
