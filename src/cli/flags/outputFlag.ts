import { type Command, Option } from 'commander';
import { type DataFormat, dataFormats } from '../data/dataFormats.ts';

/** The flag of a verb whose output is text, or data for programs. */
export interface OutputFlag {
  readonly output?: DataFormat;
}

export function addOutputFlag(command: Command): Command {
  const option = new Option('-o, --output <format>', 'print data for programs instead of text');
  return command.optionsGroup('Output:').addOption(option.choices(dataFormats));
}
