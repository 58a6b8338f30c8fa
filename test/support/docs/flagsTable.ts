import { Command } from 'commander';
import { addRunFlags } from '../../../src/cli/flags/runFlags.ts';

/** The flags of `weeder run` as a Markdown table. */
export function flagsTable(): string {
  const options = addRunFlags(new Command('run')).options.filter((option) => !option.hidden);
  const rows = options.map((option) => {
    const given = option.defaultValueDescription ?? option.defaultValue;
    const standard = given === undefined || option.defaultValue === '' ? '' : `\`${String(given)}\``;
    return `| \`${option.long ?? option.flags}\` | ${standard} | ${option.description} |`;
  });
  return ['| flag | default | what it does |', '| --- | --- | --- |', ...rows].join('\n');
}
