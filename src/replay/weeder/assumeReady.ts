import type { Config } from '../../config/config.ts';

/**
 * Returns the config for a replay that begins in the middle: services that are ready at its beginning open no window.
 */
export function assumeReady({ services, ...config }: Config): Config {
  return {
    ...config,
    services: new Map([...services].map(([name, service]) => [name, { ...service, onStart: 'never' as const }])),
  };
}
