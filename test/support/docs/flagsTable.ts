import { Command, type Option } from 'commander';
import { addReadFlags } from '../../../src/cli/flags/readFlags.ts';
import { addConfigFlag, addRunFlags } from '../../../src/cli/flags/runFlags.ts';
import { addSuggestFlags } from '../../../src/cli/flags/suggestFlags.ts';

const ofReaders = addReadFlags(addConfigFlag(new Command())).options;

/** The flags of `weeder run` as a Markdown table. */
export function runFlagsTable(): string {
  return flagsTable(addRunFlags(new Command('run')).options);
}

/** The flags of every verb that reads a cluster. */
export function readFlagsTable(): string {
  return flagsTable(ofReaders);
}

/** The other flags of `weeder suggest`. */
export function suggestFlagsTable(): string {
  const { options } = addSuggestFlags(new Command('suggest'));
  return flagsTable(options.filter(({ long }) => !ofReaders.some((each) => each.long === long)));
}

function flagsTable(options: readonly Option[]): string {
  const rows = options
    .filter((option) => !option.hidden)
    .map((option) => {
      const given = option.defaultValueDescription ?? option.defaultValue;
      const standard = given === undefined || option.defaultValue === '' ? '' : `\`${String(given)}\``;
      const names = [option.short, option.long].flatMap((name) => (name ? `\`${name}\`` : []));
      const choices = option.argChoices === undefined ? '' : `: ${option.argChoices.join(', ')}`;
      return `| ${names.join(', ')} | ${standard} | ${option.description}${choices} |`;
    });
  return ['| flag | default | what it does |', '| --- | --- | --- |', ...rows].join('\n');
}
