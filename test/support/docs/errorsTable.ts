import { errorTable } from '../../../src/base/errors.ts';

/** Every code of `src/base/errors.ts` as a Markdown table. */
export function errorsTable(): string {
  const rows = Object.entries(errorTable).map(([code, { meaning, hint }]) => `| ${code} | ${meaning} | ${hint} |`);
  return ['| code | what it means | what to do |', '| --- | --- | --- |', ...rows].join('\n');
}
