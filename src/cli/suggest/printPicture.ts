import type { Dependency, PictureFormat } from '../../dependencies/dependency.ts';
import { drawDependencies } from '../../dependencies/draw.ts';
import { pictureRemarks } from '../../dependencies/pictureRemarks.ts';
import { printErrors, printLines } from '../output.ts';

/** Prints a picture of the dependencies, and on stderr what a person has to know about it. */
export function printPicture(dependencies: readonly Dependency[], format: PictureFormat): void {
  const lines = drawDependencies(dependencies, format);
  printLines(lines);
  const remarks = pictureRemarks(dependencies, format, lines);
  if (remarks.length > 0) printErrors(remarks.map((remark) => `weeder: ${remark}.`));
}
