import { type KubeletVersion, kubeletVersions } from '@weeder/embedded-cluster';
import type { CodedError } from '@weeder/kube-runtime/base';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { codedError } from '../../base/errors.ts';
import type { BindAddress } from '../../base/listen.ts';
import { nearest } from '../../base/nearest.ts';
import { camelCase, readAddress, readDuration } from '../flags/values.ts';

/** The flags of `weeder demo`. Durations are milliseconds. */
export interface DemoFlags {
  readonly replicas: number;
  readonly outage: number;
  readonly timeout: number;
  readonly speed?: number;
  readonly seed: number;
  readonly kubelet: KubeletVersion;
  readonly ui?: boolean;
  readonly uiBindAddr?: BindAddress | 'none';
}

/** Adds the flags of `weeder demo`. */
export function addDemoFlags(command: Command): Command {
  return command
    .optionsGroup('Outage:')
    .option('--replicas <n>', 'number of dependant pods', readWhole(1, 50), 2)
    .addOption(
      new Option('--outage <duration>', 'how long etcd is down').argParser(readOutage).default(100_000, '1m40s'),
    )
    .addOption(
      new Option('--timeout <duration>', 'how long the pods may take to be ready after it')
        .argParser(readDuration)
        .default(600_000, '10m0s'),
    )
    .optionsGroup('Simulated cluster:')
    .option('--speed <n>', 'multiple of real time; default: so that it takes about 25 s', readSpeed)
    .option('--seed <n>', 'random seed: equal seeds cause equal crashes', readWhole(0, 1_000_000_000), 1)
    .addOption(
      new Option('--kubelet <version>', 'simulated version')
        .choices(kubeletVersions)
        .argParser(readVersion)
        .default('1.36'),
    )
    .option('--ui', 'serve the live page until Ctrl-C')
    .option('--ui-bind-addr <address>', 'address of the live page; default: 127.0.0.1:9645', readAddress)
    .optionsGroup('Other:');
}

export const stories = ['outage', 'restart', 'observer'] as const;

/** The error if the story does not exist. */
export function unknownStory(story: string): CodedError | undefined {
  if (stories.some((each) => each === story)) return undefined;
  const meant = nearest(story, stories);
  const hint =
    meant === undefined
      ? `: it shows ${stories.slice(0, -1).join(', ')} or ${stories.at(-1)}`
      : `; did you mean ${meant}?`;
  return codedError('USAGE', `There is no demo "${story}"${hint}${meant === undefined ? '.' : ''}`);
}

/** Flags that do not apply to the stories with a fixed course. */
const ofOutages = ['replicas', 'outage', 'timeout', 'kubelet'];

/** The error for a flag that belongs to another story. */
export function misplacedFlag(story: string, command: Command): CodedError | undefined {
  if (story === 'outage') return undefined;
  const other = ofOutages.find((name) => command.getOptionValueSource(camelCase(name)) === 'cli');
  if (other === undefined) return undefined;
  return codedError('USAGE', `The flag --${other} is for the outage: weeder demo ${story} does not have it.`);
}

function readSpeed(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 1 && value <= 50)) {
    throw new InvalidArgumentError(`found "${text}", expected a number from 1 to 50`);
  }
  return value;
}

function readWhole(lowest: number, highest: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < lowest || value > highest) {
      throw new InvalidArgumentError(`found "${text}", expected a whole number from ${lowest} to ${highest}`);
    }
    return value;
  };
}

/** A shorter outage causes no crash; a longer one is too long for a demo. */
function readOutage(text: string): number {
  const value = readDuration(text);
  if (value < 15_000 || value > 3_600_000) {
    throw new InvalidArgumentError(`found "${text}", expected a duration from 15s to 1h`);
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
