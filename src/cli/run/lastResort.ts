import type { Logger } from '../../base/log.ts';

/** How long the process may take to exit by itself. Milliseconds. */
const patience = 1_000;
/** The standard output is a resource, too, and does not keep the process alive. */
const atStart = process.getActiveResourcesInfo();
let warn: ((left: readonly string[]) => void) | undefined;

/** `weeder run` has begun: from now on its process may be kept alive by what it has opened. */
export function prepareLastResort(logger: Pick<Logger, 'warn'>): void {
  warn = (left) => logger.warn({ left }, 'the process is kept alive by what is left, and is ended');
}

/**
 * The last step of the program, after `weeder run` has ended. Node cannot close a connection whose peer does not release
 * it, such as an inspector that hangs: then the process exits with a line that names what is left. If nothing is left,
 * it exits by itself, and there is no line. Other commands may take their time to write their output.
 */
export function armLastResort(): void {
  if (warn === undefined) return;
  setTimeout(() => {
    const left = without(process.getActiveResourcesInfo(), atStart);
    if (left.length === 0) return;
    warn?.(left);
    process.exit();
  }, patience).unref();
}

function without(names: readonly string[], before: readonly string[]): string[] {
  const left = [...names];
  for (const name of before) if (left.includes(name)) left.splice(left.indexOf(name), 1);
  return left;
}
