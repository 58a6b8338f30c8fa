import { Command } from 'commander';
import { addRunFlags } from '../../../src/cli/flags/runFlags.ts';
import { addSuggestFlags } from '../../../src/cli/flags/suggestFlags.ts';

/** The flags of `weeder run` as a Markdown table. */
export function runFlagsTable(): string {
  return flagsTable(addRunFlags(new Command('run')));
}

/** The flags of `weeder suggest` as a Markdown table. */
export function suggestFlagsTable(): string {
  return flagsTable(addSuggestFlags(new Command('suggest')));
}

function flagsTable(command: Command): string {
  const options = command.options.filter((option) => !option.hidden);
  const rows = options.map((option) => {
    const given = option.defaultValueDescription ?? option.defaultValue;
    const standard = given === undefined || option.defaultValue === '' ? '' : `\`${String(given)}\``;
    return `| \`${option.long ?? option.flags}\` | ${standard} | ${option.description} |`;
  });
  return ['| flag | default | what it does |', '| --- | --- | --- |', ...rows].join('\n');
}
