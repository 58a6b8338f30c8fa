import { diagram } from '../diagram/diagram.ts';
import type { DiagramFormat } from '../diagram/formats.ts';
import { exitCodes, fail } from './output.ts';

/** `weeder diagram [machine]`: prints a machine, or without a name the actor system. */
export function printDiagram(name: string, format: DiagramFormat): number {
  const drawn = diagram(name, format);
  if (!drawn.ok) return fail(drawn.error);
  process.stdout.write(drawn.value);
  return exitCodes.ok;
}
