import layouts from '../../generated/layouts.json' with { type: 'json' };
import { codedError, failed, ok, type Result } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { ascii } from './ascii.ts';
import { drawingOf } from './drawing.ts';
import { type DiagramFormat, drawable, system } from './formats.ts';
import type { Layout } from './layout.ts';
import { machines } from './machines.ts';
import { mermaid } from './mermaid.ts';
import { pictureOf } from './picture.ts';
import { svg } from './svg.ts';
import { systemAscii, systemMermaid, systemPicture } from './system.ts';

/** A machine, or the actor system, in one of the formats. */
export function diagram(name: string, format: DiagramFormat): Result<string> {
  if (name === system) return systemDiagram(format);
  const known = machines.get(name);
  if (known === undefined) return failed(unknownMachine(name));
  const drawing = drawingOf(known.machine);
  switch (format) {
    case 'mermaid':
      return ok(mermaid(drawing));
    case 'ascii':
      return ok(ascii(drawing));
    case 'json':
      // JSON leaves out functions, such as the one that creates the context. The Studio needs only names.
      return ok(`${JSON.stringify(known.machine.config, null, 2)}\n`);
    case 'svg':
      return ok(svg(pictureOf(drawing), layoutOf(name)));
  }
}

function systemDiagram(format: DiagramFormat): Result<string> {
  if (format === 'json')
    return failed(codedError('USAGE', 'The actor system is not a machine, and has no JSON format.'));
  if (format === 'svg') return ok(svg(systemPicture(), layoutOf(system)));
  return ok(format === 'mermaid' ? systemMermaid() : systemAscii());
}

function layoutOf(name: string): Layout {
  const known: Readonly<Record<string, Layout>> = layouts;
  return known[name] ?? { width: 0, height: 0, boxes: {}, heads: {}, arrows: [], initial: {} };
}

function unknownMachine(name: string) {
  const meant = nearest(name, drawable);
  const hint = meant === undefined ? `There are ${drawable.join(', ')}.` : `Did you mean ${meant}?`;
  return codedError('USAGE', `There is no machine "${name}".`, hint);
}
