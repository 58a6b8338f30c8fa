import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, globSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** A failure of the environment (no Go, a server that does not start), in sentences: printed without a stack. */
export class SetupProblem extends Error {
  override readonly name = 'SetupProblem';
}

/** A child process with a log file, a pid file, and a certain end. */
export interface ManagedProcess {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** Resolves when the process has ended, with how it ended, as part of a sentence. */
  readonly exited: Promise<string>;
  isRunning(): boolean;
  signal(signal: NodeJS.Signals): void;
  /** SIGSTOP, then waits until every thread of it is stopped: a running one may answer one more request. */
  pause(): Promise<void>;
  /** SIGKILL, then waits until the process has ended. */
  kill(): Promise<void>;
  /** The last lines of the log, for an error. */
  tail(lines?: number): string;
}

interface ProcessOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts `binary` with its output in `dir/name.log` and its pid in `dir/name.pid`, where `guardFolder` finds it. */
export function startProcess(
  dir: string,
  name: string,
  binary: string,
  args: readonly string[],
  options: ProcessOptions = {},
): ManagedProcess {
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
  // A forgotten server must not keep a test process alive: the guard ends it together with that process.
  child.unref();
  const signal = (which: NodeJS.Signals): void => {
    if (running) child.kill(which);
  };
  return {
    name,
    pid: pid ?? -1,
    logFile,
    exited,
    isRunning: () => running,
    signal,
    pause: async () => {
      signal('SIGSTOP');
      while (running && threadStates(pid ?? -1).some((state) => state !== 'T')) await pause(1);
    },
    kill: async () => {
      signal('SIGKILL');
      // The child is unreferenced, so that waiting for its end needs something that keeps the event loop alive.
      const keepAlive = setInterval(() => {}, 1000);
      await exited;
      clearInterval(keepAlive);
    },
    tail: (lines = 15) => tailOf(logFile, lines),
  };
}

function endOf(child: ChildProcess): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  child.once('error', (error) => resolve(`could not be started: ${error.message}`));
  child.once('exit', (code, signal) => resolve(signal ? `was ended by ${signal}` : `ended with exit code ${code}`));
  return promise;
}

/** A letter for each thread, as /proc has it: `R` runs, `S` sleeps, `T` is stopped. Empty without /proc. */
function threadStates(pid: number): string[] {
  return globSync(`/proc/${pid}/task/*/stat`).map((file) => {
    try {
      // The command's name is in parentheses and may contain anything, also spaces.
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
 * Makes sure that `dir`, and every process with a pid file in it, ends together with this process, however that
 * ends: a small shell waits for the end of a pipe that only this process holds, which also notices a SIGKILL.
 * The returned function removes the folder at once; end the processes first.
 */
export function guardFolder(dir: string): () => void {
  const script =
    'cat > /dev/null; for f in "$0"/*.pid; do [ -f "$f" ] && kill -9 "$(cat "$f")"; done; sleep 0.2; rm -rf "$0"';
  // Detached: the Ctrl-C that ends this process must not end the shell before it has cleaned up.
  const shell = spawn('sh', ['-c', script, dir], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  shell.unref();
  if (shell.stdin && 'unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref();
  return () => {
    rmSync(dir, { recursive: true, force: true });
    shell.stdin?.destroy();
  };
}
