import type { Dependency, PictureFormat } from './dependency.ts';

/** The limits of Mermaid by default (`maxEdges`, `maxTextSize`): beyond them it draws an error. */
const maxArrows = 500;
const maxCharacters = 50_000;

/** What a person has to know about a picture with these lines: that it is empty, or that Mermaid does not draw it. */
export function pictureRemarks(
  dependencies: readonly Dependency[],
  format: PictureFormat,
  lines: readonly string[],
): string[] {
  if (dependencies.length === 0) return ['there is nothing to draw: no dependency was found'];
  const characters = lines.join('\n').length;
  if (format !== 'mermaid' || (dependencies.length <= maxArrows && characters <= maxCharacters)) return [];
  const size = `${counted(dependencies.length)} arrows and ${counted(characters)} characters`;
  const limit = `${counted(maxArrows)} and ${counted(maxCharacters)}`;
  return [`the picture has ${size}, and Mermaid draws at most ${limit} by default: use -o dot, or select with -n`];
}

function counted(n: number): string {
  return n.toLocaleString('en-US');
}
