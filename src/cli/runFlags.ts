import { type Command, Option } from 'commander';
import type { BindAddress } from '../bindAddress.ts';
import type { LogLevel } from '../log.ts';
import { readAddress, readBoolean, readCount, readDuration, readLogLevel, readNames, readNumber } from './values.ts';

/** What `weeder run` was told. Durations are milliseconds. */
export interface RunFlags {
  readonly configFile?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespaces?: readonly string[];
  readonly kubeApiQps: number;
  readonly kubeApiBurst: number;
  readonly concurrentDeletions: number;
  readonly dryRun: boolean;
  readonly apiServerTimeout: number;
  readonly healthBindAddr?: BindAddress;
  readonly enableLeaderElection: boolean;
  readonly logLevel: LogLevel;
  readonly zapLogLevel?: LogLevel;
}

/** Flags of the Go original that are taken, so that its manifests work, and mean nothing here. */
export const meaninglessFlags = [
  'concurrent-reconciles',
  'metrics-bind-addr',
  'pprof-bind-addr',
  'leader-election-namespace',
  'leader-elect-lease-duration',
  'leader-elect-renew-deadline',
  'leader-elect-retry-period',
  'zap-devel',
  'zap-encoder',
  'zap-stacktrace-level',
  'zap-time-encoding',
] as const;

/** Flags that say which cluster; for every verb that looks at one. */
export function addClusterFlags(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'the kubeconfig; default: $KUBECONFIG, the pod’s service account, ~/.kube/config')
    .option('--context <name>', 'the context of the kubeconfig; default: its current one')
    .option('--namespaces <names>', 'watch only these namespaces, with commas between them; default: all', readNames)
    .option('--kube-api-qps <n>', 'requests a second at most; 0: as many as the API server takes', readNumber, 0)
    .option('--kube-api-burst <n>', 'how many of them may come at once', readNumber, 0);
}

export function addRunFlags(command: Command): Command {
  addClusterFlags(command)
    .option('--config-file <file>', 'the services and their dependants (YAML)')
    .option('--concurrent-deletions <n>', 'deletions in flight at most', readCount, 32)
    .option('--dry-run <bool>', 'do everything but the deletions', readBoolean, false)
    .addOption(
      new Option(
        '--api-server-timeout <duration>',
        'how long to wait at the start for an API server that does not answer; 0: for ever',
      )
        .argParser(readDuration)
        .default(30_000, '30s'),
    )
    .addOption(
      new Option('--health-bind-addr <address>', 'where /healthz and /readyz are served; "0": nowhere')
        .argParser(readAddress)
        .default({ host: undefined, port: 9644 }, ':9644'),
    )
    .option('--enable-leader-election <bool>', 'run only while holding the Lease', readBoolean, false)
    .option('--log-level <level>', 'debug, info, warn or error', readLogLevel, 'info')
    .addOption(new Option('--zap-log-level <level>', 'the same as --log-level').argParser(readLogLevel));
  for (const flag of meaninglessFlags) command.addOption(new Option(`--${flag} <value>`).hideHelp());
  return command;
}

/** The flags that were given and mean nothing, as `--name`. */
export function givenMeaningless(options: Readonly<Record<string, unknown>>): string[] {
  return meaninglessFlags.filter((flag) => options[camelCase(flag)] !== undefined).map((flag) => `--${flag}`);
}

function camelCase(flag: string): string {
  return flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
