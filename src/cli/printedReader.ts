import type { KubeClient } from '@weeder/kube-runtime/client';
import { createListReader, type ListReader } from '../base/listReader.ts';
import { exitCodes, fail } from './output.ts';

/** A reader whose output is printed. */
interface PrintedReader extends ListReader {
  /** Calls `show`, and then names what was refused; returns the exit code. Everything refused: nothing is shown. */
  report(show: () => void): number;
}

const orName = 'Or name the namespaces that you may read, with -n.';

/** `namespaces`: where the user asked to read, if that can be less. */
export function createPrintedReader(client: KubeClient, namespaces?: 'all' | readonly string[]): PrintedReader {
  const reader = createListReader(client);
  return {
    ...reader,
    report(show) {
      const refused = reader.refused();
      const [first] = refused;
      if (first !== undefined && !reader.hasRead()) {
        const hint = namespaces === 'all' ? `${first.hint} ${orName}`.trimStart() : first.hint;
        return fail({ ...first, message: `Cannot read ${first.message}`, hint });
      }
      show();
      for (const problem of refused) fail({ ...problem, message: `The output does not include ${problem.message}` });
      return first === undefined ? exitCodes.ok : exitCodes.failed;
    },
  };
}
