import { formatFaults } from '../config/fault.ts';
import { readConfigFile } from '../config/read.ts';
import { exitCodes } from './output.ts';

/** `weeder check FILE`: every fault of a config at once, or what it says in short. `-` is the standard input. */
export async function check(file: string): Promise<number> {
  const config = await readConfigFile(file === '-' ? '/dev/stdin' : file);
  if (!config.ok) {
    process.stderr.write(`${formatFaults(config.problem)}\n`);
    return exitCodes.failed;
  }
  const services = [...config.value.services.values()];
  const selectors = services.reduce((sum, service) => sum + service.podSelectors.length, 0);
  process.stdout.write(`${file}: ok, ${count(services.length, 'service')}, ${count(selectors, 'podSelector')}\n`);
  return exitCodes.ok;
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
