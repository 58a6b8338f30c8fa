import { formatFieldError, formatFieldErrors } from '../../base/fieldError.ts';
import { printable } from '../../base/printable.ts';
import type { DataFormat } from '../data/dataFormats.ts';
import { filesIn, isFolder } from '../filesIn.ts';
import type { OutputFlag } from '../flags/outputFlag.ts';
import { exitCodes, print, printErrors } from '../output.ts';
import { type CheckedFile, checkFile } from './checkFile.ts';

/**
 * `weeder check FILE…`: prints every error of configs and Applications, or a summary of each file that has none. In a
 * folder, files of other Kubernetes objects are not checked; `-` is the standard input.
 */
export async function check(paths: readonly string[], { output }: OutputFlag): Promise<number> {
  const files: CheckedFile[] = [];
  for (const path of paths) files.push(...(await checkPath(path)));
  if (output === undefined) printReport(files);
  else await printAsData(files, output);
  return files.every(isValid) ? exitCodes.ok : exitCodes.failed;
}

async function checkPath(path: string): Promise<CheckedFile[]> {
  if (!(await isFolder(path))) return [await checkFile(path)];
  const files: CheckedFile[] = [];
  for (const file of await filesIn(path, { isRecursive: true }))
    files.push(await checkFile(file, { mayBeOther: true }));
  if (files.some(({ type }) => type !== 'other')) return files;
  const message = 'the folder has no config and no Application';
  const error = { code: 'CONFIG_INVALID', file: path, line: undefined, column: undefined, path: '', message } as const;
  return [...files, { file: path, type: 'config', summary: [], errors: [error], warnings: [] }];
}

function isValid({ errors }: CheckedFile): boolean {
  return errors.length === 0;
}

function printReport(files: readonly CheckedFile[]): void {
  for (const { file, type, summary, errors, warnings } of files) {
    printErrors(warnings.map((each) => formatFieldError({ ...each, message: `warning: ${each.message}` })));
    if (errors.length > 0) printErrors(formatFieldErrors(errors).split('\n'));
    else if (type !== 'other') print(`${printable(file)}: ok, ${summary.join('\n  ')}`);
  }
  const others = files.filter(({ type }) => type === 'other').length;
  if (others > 0) print(`${others} other ${others === 1 ? 'file is' : 'files are'} not checked`);
}

async function printAsData(files: readonly CheckedFile[], format: DataFormat): Promise<void> {
  const { printData } = await import('../data/printData.ts');
  const checked = files.map((file) => ({
    ...file,
    valid: isValid(file),
    errors: file.errors.map(withoutFile),
    warnings: file.warnings.map(withoutFile),
  }));
  printData('CheckReport', { valid: files.every(isValid), files: checked }, format);
}

function withoutFile({ code, line, column, path, message }: CheckedFile['errors'][number]) {
  return { code, path, message, ...(line === undefined ? {} : { line, column: column ?? 1 }) };
}
