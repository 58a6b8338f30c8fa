import { type Command, Help } from 'commander';
import { ignoredFlags } from './flags/runFlags.ts';
import { exitCodes } from './output.ts';

/** What people do first, for the help without a verb: a sentence, and the words of the command line. */
export const examples: readonly (readonly [purpose: string, words: string])[] = [
  ['See an outage with and without weeder, without a cluster', 'demo'],
  ['Find out which workloads of your cluster depend on which services', 'suggest -A'],
  ['Check a config, and then decide by it without changing anything', 'check weeder.yaml'],
  ['', 'run --config-file weeder.yaml --dry-run'],
  ['Find out why a pod was, or was not, deleted', 'explain pod web-0 -n shop'],
];

/** The verbs come first, and the flags of a verb are in its own help. */
export function configureHelp(program: Command, run: Command): void {
  const help = new Help();
  program
    .configureHelp({
      subcommandTerm: (command) => command.name(),
      visibleOptions: (command) => (command === program ? [] : help.visibleOptions(command)),
    })
    .addHelpText(
      'after',
      `\nExamples:\n${exampleLines(program.name()).join('\n')}\n\n"${program.name()} <verb> --help" shows the flags of a verb.`,
    );
  run.addHelpText('after', epilogue);
}

function exampleLines(called: string): string[] {
  return examples.flatMap(([purpose, words], index) => {
    const comment = index === 0 ? [`  # ${purpose}`] : ['', `  # ${purpose}`];
    return [...(purpose === '' ? [] : comment), `  ${called} ${words}`];
  });
}

const epilogue = [
  'Durations are written as in Go (300ms, 1m30s), addresses as :9644 or 127.0.0.1:9644.',
  `Accepted for manifests of dependency-watchdog, and ignored: ${ignoredFlags.map((flag) => `--${flag}`).join(' ')}`,
  `Exit codes: ${exitCodes.ok} when stopped by a signal, ${exitCodes.failed} after an error, ${exitCodes.usage} if the command line is invalid.`,
]
  .map((paragraph) => `\n${new Help().boxWrap(paragraph, 80)}`)
  .join('\n');
