import { failed, ok, type Result } from '@weeder/kube-runtime/base';
import type { Layout, Picture } from '@weeder/machine-diagrams';
import { ascii, drawingOf, mermaid, type PlacedPicture, picturesOf, svg } from '@weeder/machine-diagrams';
import layouts from '../../generated/layouts.json' with { type: 'json' };
import { codedError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { type DiagramFormat, drawable, system } from './formats.ts';
import { machines } from './machines.ts';
import { systemAscii, systemMermaid, systemPictures } from './systemFormats.ts';

/** A machine, or the actor system, in one of the formats. */
export function diagram(name: string, format: DiagramFormat): Result<string> {
  if (name === system) return systemDiagram(format);
  const machine = machines.get(name);
  if (machine === undefined) return failed(unknownMachine(name));
  const drawing = drawingOf(machine.machine);
  switch (format) {
    case 'mermaid':
      return ok(mermaid(drawing));
    case 'ascii':
      return ok(ascii(drawing));
    case 'json':
      // JSON leaves out functions, such as the one that creates the context. The Studio needs only names.
      return ok(`${JSON.stringify(machine.machine.config, null, 2)}\n`);
    case 'svg':
      return ok(svg(placed(name, picturesOf(drawing))));
  }
}

function systemDiagram(format: DiagramFormat): Result<string> {
  if (format === 'json')
    return failed(codedError('USAGE', 'The actor system is not a machine, and has no JSON format.'));
  if (format === 'svg') return ok(svg(placed(system, systemPictures())));
  return ok(format === 'mermaid' ? systemMermaid() : systemAscii());
}

function placed(name: string, pictures: readonly Picture[]): PlacedPicture[] {
  const layoutsByName: Readonly<Record<string, readonly Layout[]>> = layouts;
  return pictures.flatMap((picture, index) => {
    const layout = layoutsByName[name]?.[index];
    return layout === undefined ? [] : { picture, layout };
  });
}

function unknownMachine(name: string) {
  const meant = nearest(name, drawable);
  const hint = meant === undefined ? `There are ${drawable.join(', ')}.` : `Did you mean ${meant}?`;
  return codedError('USAGE', `There is no machine "${name}".`, hint);
}
