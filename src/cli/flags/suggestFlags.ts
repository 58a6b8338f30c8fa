import { type Command, Option } from 'commander';
import { type Confidence, confidences, pictureFormats } from '../../dependencies/dependency.ts';
import { dataFormats } from '../data/dataFormats.ts';
import { addReadFlags, type ReadFlags } from './readFlags.ts';
import { addConfigFlag } from './runFlags.ts';
import { collect } from './values.ts';

const graphFormats = [...pictureFormats, ...dataFormats] as const;
const suggestFormats = ['table', 'labels', 'config', ...graphFormats] as const;

/** The flags of `weeder suggest`. */
export interface SuggestFlags extends ReadFlags {
  readonly configFile?: string;
  /** Files and folders that are read instead of the cluster. */
  readonly filename?: readonly string[];
  readonly recording?: readonly string[];
  /** Read the Secrets that workloads use, too. */
  readonly secrets?: boolean;
  /** Search the last messages of failing pods for cluster services. */
  readonly clusterServices?: boolean;
  readonly confidence: Confidence;
  readonly output: (typeof suggestFormats)[number];
}

/** The flags of `weeder graph`. */
export interface GraphFlags extends Pick<SuggestFlags, keyof ReadFlags | 'configFile' | 'filename'> {
  readonly output: (typeof graphFormats)[number];
}

export function addSuggestFlags(command: Command): Command {
  addSourceFlags(command)
    .option('--recording <file>', 'read crash loops and outages from a recording, or watch events of kubectl', collect)
    .option('--secrets', 'also read the Secrets that workloads use; of a value, only host and port are shown')
    .option(
      '--cluster-services',
      'also search the last messages of failing pods for DNS, webhooks, registries and CSI drivers that failed; reads logs (pods/log)',
    )
    .optionsGroup('Output:')
    .addOption(new Option('-o, --output <format>', 'the format of the output').choices(suggestFormats).default('table'))
    .addOption(
      new Option('--confidence <level>', 'the lowest confidence of suggestions that are shown')
        .choices(confidences)
        .default('medium'),
    );
  return command.optionsGroup('Other:');
}

export function addGraphFlags(command: Command): Command {
  addSourceFlags(command)
    .optionsGroup('Output:')
    .addOption(
      new Option('-o, --output <format>', 'the format of the output').choices(graphFormats).default('mermaid'),
    );
  return command.optionsGroup('Other:');
}

function addSourceFlags(command: Command): Command {
  return addReadFlags(addConfigFlag(command))
    .optionsGroup('Files:')
    .option('-f, --filename <path>', 'read these manifests instead of a cluster: a file, a folder, or -', collect);
}
