import type { Dependency, PictureFormat } from './dependency.ts';
import { dependenciesAsDot } from './dot.ts';
import { dependenciesAsMermaid } from './mermaid.ts';

/** The lines of a picture of the dependencies, or of all that is known about them. */
export function drawDependencies(dependencies: readonly Dependency[], format: PictureFormat): string[] {
  return writers[format](dependencies).split('\n');
}

const writers = {
  mermaid: dependenciesAsMermaid,
  dot: dependenciesAsDot,
  json: (dependencies: readonly Dependency[]) => JSON.stringify(dependencies, null, 2),
} as const satisfies Record<PictureFormat, unknown>;
