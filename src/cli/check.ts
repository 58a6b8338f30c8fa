import { formatFieldErrors } from '../base/fieldError.ts';
import type { Config } from '../config/config.ts';
import { describeRestart } from '../config/describeSettings.ts';
import { parseConfig } from '../config/parse.ts';
import { readConfigText, readStandardInput, standardInput } from '../config/read.ts';
import { checkApplicationFile, largestApplications } from './checkApplications.ts';
import { exitCodes, print, printErrors } from './output.ts';

/**
 * `weeder check FILE`: prints every error of a config or of Applications, or a summary if there are none. `-` is the
 * standard input.
 */
export async function check(file: string): Promise<number> {
  const path = file === '-' ? standardInput : file;
  const text = await (file === '-'
    ? readStandardInput(largestApplications)
    : readConfigText(file, largestApplications));
  const ofApplications = text.ok ? checkApplicationFile(text.value, path, file) : undefined;
  if (ofApplications !== undefined) return ofApplications;
  const config = text.ok ? parseConfig(text.value, path) : text;
  if (!config.ok) {
    printErrors(formatFieldErrors(config.error).split('\n'));
    return exitCodes.failed;
  }
  print(`${file}: ok, ${inShort(config.value).join('\n  ')}`);
  return exitCodes.ok;
}

/** A summary of the config; its section `restartControl` is explained below it. */
function inShort({ services, declared, podCreation, restart, observer }: Config): readonly string[] {
  const selectors = [...services.values()].reduce((sum, service) => sum + service.podSelectors.length, 0);
  const parts = [
    ...(services.size === 0 ? [] : [`${count(services.size, 'service')}, ${count(selectors, 'podSelector')}`]),
    ...(declared === undefined ? [] : ['declared dependencies']),
    ...(podCreation === undefined ? [] : ['creation of pods']),
    ...(restart === undefined ? [] : [`restart control with ${count(restart.rules.length, 'rule')}`]),
    ...(observer === undefined ? [] : ['the application observer']),
  ];
  return [parts.join(', ') || 'nothing is configured yet', ...(restart === undefined ? [] : describeRestart(restart))];
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
