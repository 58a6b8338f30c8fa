import { type Command, InvalidArgumentError, Option } from 'commander';
import { kubeletVersions } from '../demo/kubelet/backOff.ts';
import { readDuration } from './values.ts';

/** The flags of `weeder demo`. */
export function addDemoFlags(command: Command): Command {
  return command
    .optionsGroup('Demo:')
    .option('--speed <n>', 'how many times as fast time runs; default: such that it takes about 25 s', readSpeed)
    .option('--replicas <n>', 'how many dependant pods', readWhole(1, 50), 2)
    .addOption(
      new Option('--outage <duration>', 'how long etcd is away').argParser(readOutage).default(100_000, '1m40s'),
    )
    .option('--seed <n>', 'the same seed, the same crashes', readWhole(0, 1_000_000_000), 1)
    .option('--kubelet <version>', `whose way of reporting: ${kubeletVersions.join(' or ')}`, readVersion, '1.36')
    .optionsGroup('Other:');
}

function readSpeed(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 1 && value <= 50)) {
    throw new InvalidArgumentError(`found "${text}", wanted a number from 1 to 50`);
  }
  return value;
}

function readWhole(lowest: number, highest: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < lowest || value > highest) {
      throw new InvalidArgumentError(`found "${text}", wanted a whole number from ${lowest} to ${highest}`);
    }
    return value;
  };
}

/** In a shorter outage nothing crashes; a longer one is no demo. */
function readOutage(text: string): number {
  const value = readDuration(text);
  if (value < 15_000 || value > 3_600_000) {
    throw new InvalidArgumentError(`found "${text}", wanted a duration from 15s to 1h`);
  }
  return value;
}

function readVersion(text: string) {
  const version = kubeletVersions.find((each) => each === text);
  if (version === undefined) {
    throw new InvalidArgumentError(`found "${text}", allowed are ${kubeletVersions.join(' and ')}`);
  }
  return version;
}
