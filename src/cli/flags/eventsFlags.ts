import { type Command, InvalidArgumentError } from 'commander';
import { addOutputFlag, type OutputFlag } from './outputFlag.ts';
import { addReadFlags, type ReadFlags } from './readFlags.ts';

/** The object of `--for kind/name`, as it was given. */
interface EventsObject {
  readonly kind: string;
  readonly name: string;
}

/** The flags of `weeder events`. */
export interface EventsFlags extends ReadFlags, OutputFlag {
  readonly for?: EventsObject;
  readonly watch?: boolean;
}

export function addEventsFlags(command: Command): Command {
  addReadFlags(command, 'the namespace of the Events; default: that of the kubeconfig’s context')
    .optionsGroup('Events:')
    .option('--for <kind/name>', 'only about this object, such as pod/web-0', readObject)
    .option('-w, --watch', 'then print new ones, until Ctrl-C');
  return addOutputFlag(command).optionsGroup('Other:');
}

function readObject(text: string): EventsObject {
  const [, kind, name] = /^([A-Za-z.]+)\/([^/]+)$/.exec(text) ?? [];
  if (kind !== undefined && name !== undefined) return { kind, name };
  throw new InvalidArgumentError(`found "${text}", expected a kind and a name such as pod/web-0`);
}
