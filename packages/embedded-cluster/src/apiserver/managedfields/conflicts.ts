import { failure, type Status } from '../meta/status.ts';
import { type FieldSet, readable, separator } from './fieldSet.ts';
import type { Manager } from './managers.ts';
import type { Conflict } from './ownership.ts';

/** Returns the 409 of an apply, which lists each conflicting field with its manager. */
export function conflictStatus(conflicts: readonly Conflict[]): Status {
  const managers = conflicts
    .map(({ manager, fields }) => ({ name: nameOf(manager), fields: sorted(fields).map(readable) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const count = managers.reduce((sum, { fields }) => sum + fields.length, 0);
  const lines = managers.flatMap(({ name, fields }) => [
    `conflicts with ${name}:`,
    ...fields.map((field) => `- ${field}`),
  ]);
  const only = managers.map(({ name, fields }) => `conflict with ${name}: ${fields[0] ?? ''}`);
  const text = count === 1 ? `1 conflict: ${only.join()}` : `${count} conflicts: ${lines.join('\n')}`;
  const causes = managers.flatMap(({ name, fields }) =>
    fields.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${name}`, field })),
  );
  return failure(409, 'Conflict', `Apply failed with ${text}`, { causes });
}

function nameOf({ manager, subresource, operation, apiVersion }: Manager): string {
  const name = JSON.stringify(manager) + (subresource === undefined ? '' : ` with subresource "${subresource}"`);
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}

/** Sorts each path before the paths below it. */
function sorted(fields: FieldSet): readonly string[] {
  const members = [...fields].map((path) => path.split(separator));
  return members.toSorted(inOrder).map((steps) => steps.join(separator));
}

function inOrder(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((step, index) => step !== b[index]);
  if (at === -1) return a.length - b.length;
  const isLast = (steps: readonly string[]) => (steps.length === at + 1 ? 0 : 1);
  if (b.length <= at) return 1;
  if (isLast(a) !== isLast(b)) return isLast(a) - isLast(b);
  return (a[at] ?? '') < (b[at] ?? '') ? -1 : 1;
}
