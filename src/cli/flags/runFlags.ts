import type { LabelSelector } from '@weeder/kube-runtime/objects';
import { type Command, Option } from 'commander';
import type { BindAddress } from '../../base/listen.ts';
import { type LogLevel, logLevels } from '../../base/log.ts';
import type { Shard } from '../../controller/shard.ts';
import {
  camelCase,
  collect,
  readAddress,
  readBoolean,
  readCount,
  readDuration,
  readFiles,
  readInspector,
  readLogLevel,
  readNames,
  readNamespace,
  readNumber,
  readSelector,
  readShard,
  readSize,
} from './values.ts';

/** Which cluster a verb uses, and how. */
export interface ClusterFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly as?: string;
  readonly asGroup?: readonly string[];
  readonly kubeApiQps: number;
  readonly kubeApiBurst: number;
}

/** The flags of `weeder run`. Durations are milliseconds. */
export interface RunFlags extends ClusterFlags {
  readonly configFile?: string;
  readonly namespaces?: readonly string[];
  readonly concurrentDeletions: number;
  readonly dryRun: boolean;
  readonly events: boolean;
  readonly observerImpersonate: boolean;
  readonly record?: string;
  /** Bytes. */
  readonly recordLimit: number;
  readonly recordFiles: number;
  readonly apiServerTimeout?: number;
  readonly shard?: Shard;
  readonly namespaceSelector?: LabelSelector;
  readonly exceptNamespaces?: readonly string[];
  readonly healthBindAddr: BindAddress | 'none';
  readonly metricsBindAddr: BindAddress | 'none';
  readonly debugActors: 'loopback' | 'all' | 'none';
  readonly metricsSecure: boolean;
  readonly metricsTlsCert?: string;
  readonly metricsTlsKey?: string;
  readonly uiBindAddr: BindAddress | 'none';
  /** The address of an inspector: `ws://…`. */
  readonly inspect?: string;
  readonly enableLeaderElection: boolean;
  readonly leaderElectionNamespace: string;
  readonly leaderElectLeaseDuration: number;
  readonly leaderElectRenewDeadline: number;
  readonly leaderElectRetryPeriod: number;
  readonly logLevel: LogLevel;
  readonly zapLogLevel?: LogLevel;
}

/** Flags of the Go original that are accepted for the sake of its manifests, and have no effect. */
export const ignoredFlags = [
  'concurrent-reconciles',
  'pprof-bind-addr',
  'zap-devel',
  'zap-encoder',
  'zap-stacktrace-level',
  'zap-time-encoding',
] as const;

/** Adds the flags for the cluster, to every verb that uses one. */
export function addClusterFlags(command: Command): Command {
  return command
    .optionsGroup('Cluster:')
    .option('--kubeconfig <file>', 'the kubeconfig; default: $KUBECONFIG, the pod’s service account, ~/.kube/config')
    .option('--context <name>', 'the context of the kubeconfig; default: its current one')
    .option('--as <user>', 'the user to impersonate')
    .option('--as-group <group>', 'a group to impersonate, with --as; may be repeated', collect)
    .option('--kube-api-qps <n>', 'maximum requests per second; 0: no limit', readNumber, 0)
    .option('--kube-api-burst <n>', 'the burst of these requests', readNumber, 0);
}

/** Adds the flag for the config, to every verb that takes one. */
export function addConfigFlag(command: Command, description = 'the config file (YAML)'): Command {
  return command.optionsGroup('Config:').option('-c, --config-file <file>', description);
}

export function addRunFlags(command: Command): Command {
  addClusterFlags(addConfigFlag(command))
    .option('--namespaces <names>', 'watch only these namespaces, separated by commas; default: all', readNames)
    .addOption(
      new Option(
        '--api-server-timeout <duration>',
        'how long to wait at the start for an API server that does not answer; 0: forever; default: 30s, in a pod 0',
      )
        .argParser(readDuration)
        .helpGroup('Cluster:'),
    )
    .addOption(
      new Option(
        '--shard <i/n>',
        'act for the services and workloads of every nth namespace only; i is from 0 to n-1, or auto: the number at the end of the host name',
      )
        .argParser(readShard)
        .helpGroup('Cluster:'),
    )
    .addOption(
      new Option(
        '--namespace-selector <selector>',
        'watch only namespaces with these labels, such as team=shop,env!=dev; weeder follows changes of labels',
      )
        .argParser(readSelector)
        .helpGroup('Cluster:'),
    )
    .addOption(
      new Option('--except-namespaces <names>', 'do not watch these namespaces, separated by commas')
        .argParser(readNames)
        .helpGroup('Cluster:'),
    )
    .optionsGroup('Deletions, restarts and applies:')
    .option('--dry-run [bool]', 'make all decisions, but delete, restart, apply and write nothing', readBoolean, false)
    .option('--concurrent-deletions <n>', 'maximum number of deletions in flight', readCount, 32)
    .option('--events [bool]', 'report windows, deletions, restarts and drift in Kubernetes Events', readBoolean, true)
    .option(
      '--observer-impersonate [bool]',
      'apply Applications that name no ServiceAccount as the account default of their namespace; false: with the permissions of weeder itself',
      readBoolean,
      true,
    )
    .optionsGroup('Process:')
    .addOption(
      new Option('--health-bind-addr <address>', 'address of /healthz, /readyz and /debug/actors; 0: off')
        .argParser(readAddress)
        .default({ host: undefined, port: 9644 }, ':9644'),
    )
    .addOption(
      new Option('--metrics-bind-addr <address>', 'address of /metrics; 0: off')
        .argParser(readAddress)
        .default({ host: undefined, port: 9643 }, ':9643'),
    )
    .option(
      '--metrics-secure [bool]',
      'serve /metrics over TLS, only to accounts of the cluster that may get it',
      readBoolean,
      false,
    )
    .option(
      '--metrics-tls-cert <file>',
      'the certificate for --metrics-secure (PEM), which may be renewed; default: a self-signed one',
    )
    .option('--metrics-tls-key <file>', 'the key of that certificate (PEM)')
    .addOption(
      new Option('--debug-actors <who>', 'which connections may read /debug/actors')
        .choices(['loopback', 'all', 'none'])
        .default('loopback'),
    )
    .addOption(uiBindAddr())
    .addOption(
      new Option('--inspect [url]', 'show the actors in Stately’s inspector, from a checkout')
        .argParser(readInspector)
        .preset('ws://localhost:8080'),
    )
    .option('--record <file>', 'write a recording for weeder replay')
    .addOption(
      new Option('--record-limit <size>', 'the size at which the file is rotated to <file>.1')
        .argParser(readSize)
        .default(64 * 2 ** 20, '64Mi'),
    )
    .option('--record-files <n>', 'number of rotated files: <file>.1, <file>.2, …', readFiles, 1)
    .addOption(
      new Option('--log-level <level>', 'how much is logged')
        .choices(logLevels)
        .argParser(readLogLevel)
        .default('info', 'info'),
    )
    .addOption(new Option('--zap-log-level <level>', 'the same as --log-level').argParser(readLogLevel));
  addElectionFlags(command);
  for (const flag of ignoredFlags) command.addOption(new Option(`--${flag} <value>`).hideHelp());
  return command.optionsGroup('Other:');
}

/** The page is off by default, because it shows the names of pods to everyone who can reach it. */
function uiBindAddr(): Option {
  const description = 'address of the live page, without a host on 127.0.0.1; 0: off';
  return new Option('--ui-bind-addr <address>', description).argParser(readAddress).default('none', '0');
}

/** Leader election, with the original's flags and defaults. */
function addElectionFlags(command: Command): void {
  const times = [
    ['lease-duration', '15s', 'how long standbys wait before they take over a Lease that is not renewed', 15_000],
    ['renew-deadline', '10s', 'how long a leader that cannot renew its Lease continues to act', 10_000],
    ['retry-period', '2s', 'how often the Lease is renewed, or requested by standbys', 2_000],
  ] as const;
  command
    .optionsGroup('Leader election:')
    .option('--enable-leader-election [bool]', 'act only while holding the Lease', readBoolean, false)
    .option('--leader-election-namespace <name>', 'the namespace of the Lease', readNamespace, 'garden');
  for (const [name, text, description, milliseconds] of times) {
    const option = new Option(`--leader-elect-${name} <time>`, description);
    command.addOption(option.argParser(readDuration).default(milliseconds, text));
  }
}

/** The flags that were given and have no effect, in the form `--name`. */
export function givenIgnoredFlags(options: Readonly<Record<string, unknown>>): string[] {
  return ignoredFlags.filter((flag) => options[camelCase(flag)] !== undefined).map((flag) => `--${flag}`);
}
