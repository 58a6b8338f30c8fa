import type { KubeClient } from '@weeder/kube-runtime/client';
import { createListReader, type ListReader } from '../base/listReader.ts';
import { exitCodes, fail } from './output.ts';

/** A reader whose output is printed. */
interface PrintedReader extends ListReader {
  /** Calls `show`, and then names what was refused; returns the exit code. Everything refused: nothing is shown. */
  report(show: () => void): number;
}

export function createPrintedReader(client: KubeClient): PrintedReader {
  const reader = createListReader(client);
  return {
    ...reader,
    report(show) {
      const refused = reader.refused();
      const [first] = refused;
      if (first !== undefined && !reader.hasRead()) return fail({ ...first, message: `Cannot read ${first.message}` });
      show();
      for (const problem of refused) fail({ ...problem, message: `The output does not include ${problem.message}` });
      return first === undefined ? exitCodes.ok : exitCodes.failed;
    },
  };
}
