import type { Logger } from '../../base/log.ts';

/** How long the process may take to exit by itself. Milliseconds. */
const patience = 1_000;

/**
 * For a process that something keeps alive after its end: Node cannot close a connection whose peer does not release it,
 * such as an inspector that hangs. Returns the function to call at the end. After it, the process exits with a line that
 * names what is left; if nothing is left, it exits by itself, and there is no line.
 */
export function lastResort(logger: Pick<Logger, 'warn'>): () => void {
  const before = process.getActiveResourcesInfo();
  return () => {
    const exitUnlessEmpty = () => {
      const left = without(process.getActiveResourcesInfo(), before);
      if (left.length === 0) return;
      logger.warn({ left }, 'the process is kept alive by what is left, and is ended');
      process.exit();
    };
    setTimeout(exitUnlessEmpty, patience).unref();
  };
}

/** The standard output is a resource, too, and does not keep the process alive. */
function without(names: readonly string[], before: readonly string[]): string[] {
  const left = [...names];
  for (const name of before) if (left.includes(name)) left.splice(left.indexOf(name), 1);
  return left;
}
