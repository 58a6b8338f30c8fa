import { failed, ok, systemClock } from '@weeder/kube-runtime/base';
import type { Logger } from '../../base/log.ts';
import { watchConfigFile } from '../../config/watchFile.ts';
import type { Reload } from '../../process/reload.ts';
import { type OpenedConfig, problemOf } from '../configFile.ts';

/** The config file, which is watched while weeder runs. */
interface FollowedConfig {
  stop(): void;
}

/** Passes on each new content of the config file; SIGHUP causes an immediate read. */
export function followConfig({ file, text }: OpenedConfig, take: Reload['take'], logger: Logger): FollowedConfig {
  const watch = watchConfigFile({
    file,
    clock: systemClock,
    known: ok(text),
    onChange: (config) => take(config.ok ? config : failed(problemOf(file, config.error))),
    onUnwatchable: (cause) =>
      logger.warn({ file, cause }, 'the config file cannot be watched, and is polled every 10 s'),
  });
  const onHangUp = () => {
    watch.readNow().then(
      (isChanged) => {
        if (!isChanged) logger.info({ file }, 'SIGHUP: the config file has not changed');
      },
      (error: unknown) => logger.error({ err: error }, 'the config file could not be read'),
    );
  };
  process.on('SIGHUP', onHangUp);
  return {
    stop() {
      process.off('SIGHUP', onHangUp);
      watch.stop();
    },
  };
}
