import { basename } from 'node:path';
import { Command, Help, Option } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { type DiagramFormat, diagramFormats, drawable, system } from '../diagram/formats.ts';
import { addDemoFlags, type DemoFlags, misplacedFlag, unknownStory } from './demo/demoFlags.ts';
import { addEventsFlags, type EventsFlags } from './flags/eventsFlags.ts';
import {
  addClusterFlags,
  addConfigFlag,
  addRunFlags,
  type ClusterFlags,
  givenIgnoredFlags,
  ignoredFlags,
  type RunFlags,
} from './flags/runFlags.ts';
import { addStatusFlags, type StatusFlags } from './flags/statusFlags.ts';
import { addGraphFlags, addSuggestFlags, type GraphFlags, type SuggestFlags } from './flags/suggestFlags.ts';
import { readAddress, readNamespace } from './flags/values.ts';
import { exitCodes, fail } from './output.ts';
import type { ReplayFlags } from './replay.ts';

/** The flags of `explain`: with a config, or for one object in its namespace. */
type ExplainFlags = ClusterFlags & { readonly configFile?: string; readonly namespace?: string };

/** Called with the exit code of the verb. */
type OnExitCode = (exitCode: number) => void;

/**
 * The verbs and their flags. The code of a verb is loaded when it is called, so that `--help` and `check` do not wait
 * for the code that connects to a cluster.
 */
export function createProgram(onExitCode: OnExitCode): Command {
  const called = calledAs(process.argv[1]);
  const program = new Command(called)
    .usage(`[run] --config-file <file> [flags]\n       ${called} <verb> [flags]`)
    .description(
      'When a service recovers, deletes its dependants’ crash-looping pods, so that they start immediately. Restarts workloads when the ConfigMaps and Secrets that they use have changed. Corrects drift of applications.',
    )
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .optionsGroup('Other:')
    .helpOption('-h, --help', 'show this help')
    .version(packageJson.version, '--version', 'show the version')
    .addHelpText('after', epilogue)
    .commandsGroup('Verbs:')
    .helpCommand('help [verb]', 'show the flags of a verb');

  const run = addRunFlags(program.command('run').usage('--config-file <file> [flags]'));
  run.description('run the controllers (also without a verb)').action(async (flags: RunFlags, command: Command) => {
    const { run: start } = await import('./run/run.ts');
    onExitCode(await start(flags, givenIgnoredFlags(command.opts())));
  });
  program
    .command('check')
    .usage('<file>')
    .description('check a config file, or Applications, and report all errors')
    .argument('<file>', 'the config file; -: the standard input')
    .action(async (file: string) => {
      const { check } = await import('./check.ts');
      onExitCode(await check(file));
    });
  const explaining = program
    .command('explain')
    .usage(
      `--config-file <file> [flags]\n       ${called} explain application|pod|service|workload <name> [-n <namespace>] [flags]`,
    );
  addClusterFlags(addConfigFlag(explaining))
    .optionsGroup('Other:')
    .option('-n, --namespace <name>', 'of the object; default: that of the kubeconfig’s context', readNamespace)
    .description('show the observed state, and what weeder would do')
    .argument(
      '[what]',
      'application: its resources; pod: why it was, or was not, deleted; service: who waits for it; workload: why it was, or was not, restarted',
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
  program
    .command('replay')
    .usage('<file...> [flags]')
    .description('replay a recording, or watch events, in simulated time')
    .argument('<file...>', 'recordings (FILE.1 FILE), or watch events of kubectl')
    .optionsGroup('Config:')
    .option('--config <file>', 'the config (YAML): required for watch events, instead of its own for a recording')
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
    .argument('[machine]', drawable.join(', '), system)
    .addOption(new Option('--format <format>', 'how').choices(diagramFormats).default('ascii'))
    .optionsGroup('Other:')
    .action(async (machine: string, { format }: { readonly format: DiagramFormat }) => {
      const { printDiagram } = await import('./diagram.ts');
      onExitCode(printDiagram(machine, format));
    });
  addDemoFlags(program.command('demo').usage('[story] [flags]'))
    .description('show an outage, restart control or the observer, without a cluster')
    .argument(
      '[story]',
      'outage; restart: restarts when ConfigMaps and Secrets change; observer: drift and correction',
      'outage',
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
  return program.configureHelp({
    visibleOptions: (command) => visibleOptions(command, program, run),
    groupItems: (_all, visible, groupOf) => new Help().groupItems(visible, visible, groupOf),
  });
}

/** `kubectl weeder`, if it runs as a plugin of kubectl. */
function calledAs(program = ''): string {
  return basename(program, '.js') === 'kubectl-weeder' ? 'kubectl weeder' : 'weeder';
}

/** Without a verb weeder runs, so the help without a verb shows the options of `run`. */
function visibleOptions(command: Command, program: Command, run: Command) {
  const help = new Help();
  if (command !== program) return help.visibleOptions(command);
  return [...help.visibleOptions(run).filter((option) => option.long !== '--help'), ...help.visibleOptions(program)];
}

const epilogue = [
  'Durations are written as in Go (300ms, 1m30s), addresses as :9644 or 127.0.0.1:9644.',
  `Accepted for manifests of dependency-watchdog, and ignored: ${ignoredFlags.map((flag) => `--${flag}`).join(' ')}`,
  `Exit codes: ${exitCodes.ok} when stopped by a signal, ${exitCodes.failed} after an error, ${exitCodes.usage} if the command line is invalid.`,
]
  .map((paragraph) => `\n${new Help().boxWrap(paragraph, 80)}`)
  .join('\n');
