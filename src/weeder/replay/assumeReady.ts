import type { Config } from '../../config/config.ts';

/**
 * Returns the config for a replay that begins in the middle: services that are ready at its beginning open no window.
 */
export function assumeReady({ services, declared, podCreation, ...config }: Config): Config {
  const onStart = 'never' as const;
  return {
    ...config,
    services: new Map([...services].map(([name, service]) => [name, { ...service, onStart }])),
    ...(declared === undefined ? {} : { declared: { ...declared, onStart } }),
    ...(podCreation === undefined ? {} : { podCreation: { ...podCreation, onStart } }),
  };
}
