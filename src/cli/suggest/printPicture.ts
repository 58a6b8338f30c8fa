import type { Dependency, PictureFormat } from '../../dependencies/dependency.ts';
import { drawDependencies } from '../../dependencies/draw.ts';
import { pictureRemarks } from '../../dependencies/pictureRemarks.ts';
import { printLines, printRemarks } from '../output.ts';

/** Prints a picture of the dependencies, and on stderr what a person has to know about it. */
export function printPicture(dependencies: readonly Dependency[], format: PictureFormat): void {
  const lines = drawDependencies(dependencies, format);
  printLines(lines);
  printRemarks(pictureRemarks(dependencies, format, lines));
}
