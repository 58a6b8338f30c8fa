/** What a user chooses of the overlays and components of deploy/, in the order of the components in a kustomization. */
export interface Choice {
  readonly overlay: string;
  readonly weeding: boolean;
  readonly evict: boolean;
  readonly networkPolicy: boolean;
  readonly podMonitor: boolean;
  readonly restartControl:
    | { readonly sources: keyof typeof restartComponents; readonly recreateJobs: boolean }
    | undefined;
  readonly observer: { readonly impersonate: keyof typeof observerComponents; readonly secrets: boolean } | undefined;
}

const restartComponents = {
  all: 'restart-control',
  configMaps: 'restart-control-configmaps',
  named: 'restart-control-named',
} as const;

const observerComponents = { all: 'observer', named: 'observer-named' } as const;

const modes: Readonly<Record<string, string>> = { 'highly-available': 'highlyAvailable', sharded: 'sharded' };

/** The components of the kustomization for this choice. */
export function componentsOf({ restartControl, observer, ...it }: Choice): readonly string[] {
  return [
    ...(it.weeding ? [] : ['no-weeding']),
    ...(it.evict ? ['evict'] : []),
    ...(restartControl === undefined ? [] : [restartComponents[restartControl.sources]]),
    ...(restartControl?.recreateJobs === true ? ['recreate-jobs'] : []),
    ...(observer === undefined ? [] : [observerComponents[observer.impersonate]]),
    ...(observer?.secrets === true ? ['observer-secrets'] : []),
    ...(it.networkPolicy ? ['network-policy'] : []),
    ...(it.podMonitor ? ['pod-monitor'] : []),
  ];
}

/** The values of the chart for this choice. */
export function valuesOf({ overlay, weeding, evict, restartControl, observer, ...it }: Choice): object {
  return {
    mode: modes[overlay] ?? 'single',
    ...(overlay === 'namespaced' ? { namespaces: ['shoot-1', 'shoot-2'] } : {}),
    weeding,
    evict,
    networkPolicy: { enabled: it.networkPolicy },
    podMonitor: { enabled: it.podMonitor },
    restartControl: { enabled: restartControl !== undefined, ...restartControl },
    observer: { enabled: observer !== undefined, ...observer },
  };
}

const restartChoices = [
  undefined,
  ...(['all', 'configMaps', 'named'] as const).flatMap((sources) =>
    [false, true].map((recreateJobs) => ({ sources, recreateJobs })),
  ),
];

const observerChoices = [
  undefined,
  ...(['all', 'named'] as const).flatMap((impersonate) => [false, true].map((secrets) => ({ impersonate, secrets }))),
];

/**
 * Every combination for an overlay that changes the same object. The three components that add an object or a rule of
 * their own are added in turn, so that each of their combinations occurs with many of the others.
 */
export function choices(overlay: string): readonly Choice[] {
  return [true, false]
    .flatMap((weeding) =>
      restartChoices.flatMap((restartControl) =>
        observerChoices.map((observer) => ({ overlay, weeding, restartControl, observer })),
      ),
    )
    .map((choice, index) => ({
      ...choice,
      evict: index % 2 === 1,
      networkPolicy: Math.floor(index / 2) % 2 === 1,
      podMonitor: Math.floor(index / 4) % 2 === 1,
    }));
}
