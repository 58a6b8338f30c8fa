import { type Listening, listen } from '../bindAddress.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../config/config.ts';
import { problemOf } from '../config/fault.ts';
import { readConfigFile } from '../config/read.ts';
import { failed, ok, problem, type Result } from '../errors.ts';
import { healthHandler } from '../health.ts';
import type { KubeClient } from '../kube/client.ts';
import { createLogger, type Logger } from '../log.ts';
import { type Controller, startController } from '../main.ts';
import { connect } from './connect.ts';
import { exitCodes, fail } from './output.ts';
import type { RunFlags } from './runFlags.ts';

/** `weeder run`: works until it is told to stop. Resolves with the exit code. */
export async function run(flags: RunFlags, meaningless: readonly string[]): Promise<number> {
  const logger = await createLogger(flags.zapLogLevel ?? flags.logLevel);
  const prepared = await prepare(flags, logger);
  if (!prepared.ok) return fail(prepared.problem);
  const { config, client } = prepared.value;
  if (meaningless.length > 0) logger.info({ flags: meaningless }, 'these flags are accepted and mean nothing here');

  const controller = startController({
    config,
    client,
    clock: systemClock,
    logger,
    namespaces: flags.namespaces ?? 'all',
    concurrentDeletions: flags.concurrentDeletions,
    isDryRun: flags.dryRun,
  });
  const health = await serveHealth(flags, controller);
  if (!health.ok) controller.shutdown();
  const forgetSignals = stopOnSignals(controller, logger);
  logger.info({ server: client.server, services: [...config.services.keys()], dryRun: flags.dryRun }, 'weeder started');
  await controller.stopped;
  forgetSignals();
  if (health.ok) await health.value?.close();
  await client.close();
  if (!health.ok) return fail(health.problem);
  logger.info('weeder stopped');
  return exitCodes.ok;
}

async function prepare(
  flags: RunFlags,
  logger: Logger,
): Promise<Result<{ readonly config: Config; readonly client: KubeClient }>> {
  if (flags.enableLeaderElection) {
    return failed(problem('LEADER_ELECTION_UNAVAILABLE', 'There is no leader election in this version.'));
  }
  if (flags.configFile === undefined) return failed(problem('USAGE', 'weeder run needs --config-file FILE.'));
  const config = await readConfigFile(flags.configFile);
  if (!config.ok) return failed(problemOf(config.problem));
  const client = await connect({ ...flags, onWaiting: (sentence) => logger.warn(sentence) }, systemClock);
  return client.ok ? ok({ config: config.value, client: client.value }) : client;
}

async function serveHealth(flags: RunFlags, controller: Controller): Promise<Result<Listening | undefined>> {
  if (flags.healthBindAddr === undefined) return ok(undefined);
  const handler = healthHandler(() => ({ state: controller.state(), isReady: controller.state() === 'running' }));
  return listen('--health-bind-addr', flags.healthBindAddr, handler);
}

/** The first signal stops in good order, the second at once. */
function stopOnSignals(controller: Controller, logger: Logger): () => void {
  let isStopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (isStopping) process.exit(signal === 'SIGINT' ? 130 : 143);
    isStopping = true;
    logger.info({ signal }, 'stopping');
    controller.shutdown();
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  return () => process.off('SIGTERM', onSignal).off('SIGINT', onSignal);
}
