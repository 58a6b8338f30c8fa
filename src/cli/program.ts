import { basename } from 'node:path';
import { Argument, Command, Option } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { type DiagramFormat, diagramFormats, drawable, system } from '../diagram/formats.ts';
import { type Shell, shells } from './completion/shells.ts';
import { addDemoFlags, type DemoFlags, misplacedFlag, stories, unknownStory } from './demo/demoFlags.ts';
import { addEventsFlags, type EventsFlags } from './flags/eventsFlags.ts';
import { explainedKinds } from './flags/kindNames.ts';
import { addOutputFlag, type OutputFlag } from './flags/outputFlag.ts';
import { addReadFlags, type ReadFlags } from './flags/readFlags.ts';
import { addConfigFlag, addRunFlags, givenIgnoredFlags, type RunFlags } from './flags/runFlags.ts';
import { addStatusFlags, type StatusFlags } from './flags/statusFlags.ts';
import { addGraphFlags, addSuggestFlags, type GraphFlags, type SuggestFlags } from './flags/suggestFlags.ts';
import { readAddress, wordOf } from './flags/values.ts';
import { configureHelp } from './help.ts';
import { fail } from './output.ts';
import type { ReplayFlags } from './replay.ts';

/** The flags of `explain`: with a config, or for one object in its namespace. */
type ExplainFlags = ReadFlags & OutputFlag & { readonly configFile?: string };

const ofReplays = 'the config (YAML): required for watch events, instead of its own for a recording';
const ofNamespaces =
  'the namespaces, separated by commas; default: all, and for <name> that of the kubeconfig’s context';

/** Called with the exit code of the verb. */
type OnExitCode = (exitCode: number) => void;

/**
 * The verbs and their flags. The code of a verb is loaded when it is called, so that `--help` and `check` do not wait
 * for the code that connects to a cluster.
 */
export function createProgram(onExitCode: OnExitCode): Command {
  const program = new Command(calledAs(process.argv[1]))
    .usage('<verb> [flags]')
    .description(
      'When a service recovers, deletes its dependants’ crash-looping pods, so that they start immediately. Restarts workloads when the ConfigMaps and Secrets that they use have changed. Corrects drift of applications.',
    )
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .optionsGroup('Other:')
    .helpOption('-h, --help', 'show this help')
    .version(packageJson.version, '--version', 'show the version')
    .commandsGroup('Run:');

  const run = addRunFlags(program.command('run').usage('--config-file <file> [flags]'));
  run.description('run the controllers (also without a verb)').action(async (flags: RunFlags, command: Command) => {
    const { run: start } = await import('./run/run.ts');
    onExitCode(await start(flags, givenIgnoredFlags(command.opts())));
  });
  program.commandsGroup('Configure:');
  addOutputFlag(program.command('check').usage('<file...> [flags]'))
    .optionsGroup('Other:')
    .description('check configs and Applications, and report all errors')
    .argument('<file...>', 'files, folders with YAML and JSON, or -: the standard input')
    .action(async (files: readonly string[], flags: OutputFlag) => {
      const { check } = await import('./check/check.ts');
      onExitCode(await check(files, flags));
    });
  addSuggestFlags(program.command('suggest').usage('[flags]'))
    .description('show which workloads seem to depend on which services, and why')
    .action(async (flags: SuggestFlags) => {
      const { suggest } = await import('./suggest/suggest.ts');
      onExitCode(await suggest(flags));
    });
  addGraphFlags(program.command('graph').usage('[flags]'))
    .description('draw the dependencies that the config and the workloads name')
    .action(async (flags: GraphFlags) => {
      const { graph } = await import('./suggest/graph.ts');
      onExitCode(await graph(flags));
    });
  program.commandsGroup('Observe a cluster:');
  const explaining = program
    .command('explain')
    .usage(
      `--config-file <file> [flags]\n       ${program.name()} explain ${explainedKinds.join('|')} <name> [-n <namespace>] [flags]`,
    );
  addOutputFlag(addReadFlags(addConfigFlag(explaining), ofNamespaces))
    .optionsGroup('Other:')
    .description('show the observed state, and what weeder would do')
    .addArgument(
      wordOf(
        explainedKinds,
        '[what]',
        'application: its resources; pod: why it was, or was not, deleted; service: who waits for it; workload: why it was, or was not, restarted',
      ),
    )
    .argument('[name]', 'its name; of a workload also kind/name')
    .action(async (what: string | undefined, name: string | undefined, flags: ExplainFlags) => {
      if (what !== undefined) {
        const { explainNamed } = await import('./explainNamed.ts');
        return onExitCode(await explainNamed({ what, name }, flags));
      }
      const { explain } = await import('./explain.ts');
      onExitCode(await explain(flags));
    });
  addStatusFlags(program.command('status').usage('[flags]'))
    .description('show the weeder that runs in the cluster: its leader, its streams, and what needs attention')
    .action(async (flags: StatusFlags) => {
      const { status } = await import('./status/status.ts');
      onExitCode(await status(flags));
    });
  addEventsFlags(program.command('events').usage('[flags]'))
    .description('show the Kubernetes Events of weeder, the newest last')
    .action(async (flags: EventsFlags) => {
      const { events } = await import('./events/events.ts');
      onExitCode(await events(flags));
    });
  addOutputFlag(addReadFlags(program.command('version').usage('[flags]')))
    .option('--client', 'only the version of this program')
    .optionsGroup('Other:')
    .description('show the versions of this program and of what runs in the cluster')
    .action(async (flags: ReadFlags & OutputFlag & { readonly client?: boolean }) => {
      const { version } = await import('./version/version.ts');
      onExitCode(await version(flags));
    });
  program.commandsGroup('Without a cluster:');
  addDemoFlags(program.command('demo').usage('[story] [flags]'))
    .description('show an outage, restart control or the observer, without a cluster')
    .addArgument(
      wordOf(stories, '[story]', 'restart: ConfigMaps and Secrets change; observer: drift is corrected').default(
        'outage',
      ),
    )
    .action(async (story: string, flags: DemoFlags, command: Command) => {
      const misplaced = unknownStory(story) ?? misplacedFlag(story, command);
      if (misplaced !== undefined) return onExitCode(fail(misplaced));
      if (story === 'restart') {
        const { demoRestart } = await import('./demo/demoRestart.ts');
        return onExitCode(await demoRestart(flags));
      }
      if (story === 'observer') {
        const { demoObserver } = await import('./demo/demoObserver.ts');
        return onExitCode(await demoObserver(flags));
      }
      const { demo } = await import('./demo/demo.ts');
      onExitCode(await demo(flags));
    });
  addConfigFlag(program.command('replay').usage('<file...> [flags]'), ofReplays)
    .description('replay a recording, or watch events, in simulated time')
    .argument('<file...>', 'recordings (FILE.1 FILE), or watch events of kubectl')
    .optionsGroup('Live page:')
    .option('--ui', 'show the replay on the live page, until Ctrl-C')
    .option('--ui-bind-addr <address>', 'address of the live page; default: 127.0.0.1:9645', readAddress)
    .optionsGroup('Other:')
    .action(async (files: readonly string[], flags: ReplayFlags) => {
      const { replay } = await import('./replay.ts');
      onExitCode(await replay(files, flags));
    });
  program
    .command('diagram')
    .usage('[machine] [flags]')
    .description('print a state machine, or the actor system')
    .addArgument(wordOf(drawable, '[machine]', 'what is drawn').default(system))
    .addOption(new Option('--format <format>', 'the format of the picture').choices(diagramFormats).default('ascii'))
    .optionsGroup('Other:')
    .action(async (machine: string, { format }: { readonly format: DiagramFormat }) => {
      const { printDiagram } = await import('./diagram.ts');
      onExitCode(printDiagram(machine, format));
    });
  program
    .commandsGroup('Other:')
    .command('completion')
    .usage('<shell>')
    .description('print the script by which a shell completes verbs and flags')
    .addArgument(new Argument('<shell>', 'for example: source <(weeder completion bash)').choices(shells))
    .optionsGroup('Other:')
    .action(async (shell: Shell) => {
      const { completion } = await import('./completion/completion.ts');
      onExitCode(completion(program, shell));
    });
  program.helpCommand('help [verb]', 'show the flags of a verb');
  configureHelp(program, run);
  return program;
}

/** `kubectl weeder`, if it runs as a plugin of kubectl. */
function calledAs(program = ''): string {
  return basename(program, '.js') === 'kubectl-weeder' ? 'kubectl weeder' : 'weeder';
}
