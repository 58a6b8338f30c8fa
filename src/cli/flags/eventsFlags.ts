import { type Command, InvalidArgumentError, Option } from 'commander';
import { addClusterFlags, type ClusterFlags } from './runFlags.ts';
import { readNamespace } from './values.ts';

const formats = ['table', 'json', 'yaml'] as const;

/** The object of `--for kind/name`, as it was given. */
interface EventsObject {
  readonly kind: string;
  readonly name: string;
}

/** The flags of `weeder events`. */
export interface EventsFlags extends ClusterFlags {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly for?: EventsObject;
  readonly watch?: boolean;
  readonly output: (typeof formats)[number];
}

export function addEventsFlags(command: Command): Command {
  addClusterFlags(command)
    .optionsGroup('Events:')
    .option('-n, --namespace <name>', 'of the Events; default: that of the kubeconfig’s context', readNamespace)
    .option('-A, --all-namespaces', 'of all namespaces')
    .option('--for <kind/name>', 'only about this object, such as pod/web-0', readObject)
    .option('-w, --watch', 'then print new ones, until Ctrl-C')
    .addOption(new Option('-o, --output <format>', 'the format of the output').choices(formats).default('table'));
  return command.optionsGroup('Other:');
}

function readObject(text: string): EventsObject {
  const [, kind, name] = /^([A-Za-z.]+)\/([^/]+)$/.exec(text) ?? [];
  if (kind !== undefined && name !== undefined) return { kind, name };
  throw new InvalidArgumentError(`found "${text}", expected a kind and a name such as pod/web-0`);
}
