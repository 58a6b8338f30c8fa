import type { Dependency, PictureFormat } from './dependency.ts';
import { dependenciesAsDot } from './dot.ts';
import { dependenciesAsMermaid } from './mermaid.ts';

/** The lines of a picture of the dependencies. */
export function drawDependencies(dependencies: readonly Dependency[], format: PictureFormat): string[] {
  return writers[format](dependencies).split('\n');
}

const writers = {
  mermaid: dependenciesAsMermaid,
  dot: dependenciesAsDot,
} as const satisfies Record<PictureFormat, unknown>;
