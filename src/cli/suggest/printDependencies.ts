import type { Dependency, PictureFormat } from '../../dependencies/dependency.ts';
import { drawDependencies } from '../../dependencies/draw.ts';
import { pictureRemarks } from '../../dependencies/pictureRemarks.ts';
import type { DataFormat } from '../data/dataFormats.ts';
import { printData } from '../data/printData.ts';
import { printLines, printRemarks } from '../output.ts';

/** Prints the dependencies: as data, or as a picture and on stderr what a person has to know about it. */
export function printDependencies(dependencies: readonly Dependency[], format: PictureFormat | DataFormat): void {
  if (format === 'json' || format === 'yaml') {
    printData('DependencyList', { items: dependencies }, format);
    return;
  }
  const lines = drawDependencies(dependencies, format);
  printLines(lines);
  printRemarks(pictureRemarks(dependencies, format, lines));
}
