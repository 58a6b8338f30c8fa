/** What a user chooses of the overlays and components of deploy/, in the order of the components in a kustomization. */
export interface Choice {
  readonly overlay: string;
  readonly weeding: boolean;
  readonly evict: boolean;
  readonly evidence: boolean;
  readonly podCreation: boolean;
  readonly networkPolicy: boolean;
  readonly podMonitor: boolean;
  readonly serviceMonitor: boolean;
  readonly metricsSecure: boolean;
  /** The alert rules and the dashboard. */
  readonly monitoring: boolean;
  readonly livePage: boolean;
  readonly priorityClass: boolean;
  readonly observerRoles: boolean;
  readonly restartControl:
    | {
        readonly sources: keyof typeof restartComponents;
        readonly recreateJobs: boolean;
        readonly workloadKinds: readonly (typeof otherKinds)[number][];
      }
    | undefined;
  readonly observer: { readonly impersonate: keyof typeof observerComponents; readonly secrets: boolean } | undefined;
}

const restartComponents = {
  all: 'restart-control',
  configMaps: 'restart-control-configmaps',
  named: 'restart-control-named',
} as const;

const otherKinds = [
  { group: 'argoproj.io', resource: 'rollouts' },
  { group: 'apps.kruise.io', resource: 'clonesets' },
] as const;

const observerComponents = { all: 'observer', named: 'observer-named' } as const;

const modes: Readonly<Record<string, string>> = { 'highly-available': 'highlyAvailable', sharded: 'sharded' };

/** The components of the kustomization for this choice. */
export function componentsOf(it: Choice): readonly string[] {
  return [
    ...(it.weeding ? [] : ['no-weeding']),
    ...(it.evict ? ['evict'] : []),
    ...(it.evidence ? ['evidence'] : []),
    ...(it.podCreation ? ['pod-creation'] : []),
    ...componentsOfControllers(it),
    ...(it.networkPolicy ? ['network-policy'] : []),
    ...(it.podMonitor ? ['pod-monitor'] : []),
    ...(it.serviceMonitor ? ['service-monitor'] : []),
    ...(it.metricsSecure ? ['metrics-secure'] : []),
    ...(it.monitoring ? ['prometheus-rule', 'grafana-dashboard'] : []),
    ...(it.livePage ? ['live-page'] : []),
    ...(it.priorityClass ? ['priority-class'] : []),
    ...(it.observerRoles ? ['observer-roles'] : []),
  ];
}

function componentsOfControllers({ restartControl, observer }: Choice): readonly string[] {
  return [
    ...(restartControl === undefined ? [] : [restartComponents[restartControl.sources]]),
    ...(restartControl?.recreateJobs === true ? ['recreate-jobs'] : []),
    ...(restartControl?.workloadKinds ?? []).map(({ resource }) => `restart-control-${resource}`),
    ...(observer === undefined ? [] : [observerComponents[observer.impersonate]]),
    ...(observer?.secrets === true ? ['observer-secrets'] : []),
  ];
}

/** The values of the chart for this choice. */
export function valuesOf(choice: Choice): object {
  const { overlay, weeding, evict, evidence, podCreation, restartControl, observer, ...it } = choice;
  return {
    mode: modes[overlay] ?? 'single',
    ...(overlay === 'namespaced' ? { namespaces: ['shoot-1', 'shoot-2'] } : {}),
    weeding,
    evict,
    evidence,
    podCreation,
    networkPolicy: { enabled: it.networkPolicy },
    podMonitor: { enabled: it.podMonitor },
    serviceMonitor: { enabled: it.serviceMonitor },
    metricsSecure: it.metricsSecure,
    prometheusRule: { enabled: it.monitoring },
    grafanaDashboard: { enabled: it.monitoring },
    livePage: it.livePage,
    priorityClass: { enabled: it.priorityClass },
    restartControl: { enabled: restartControl !== undefined, ...restartControl },
    observer: { enabled: observer !== undefined, roles: it.observerRoles, ...observer },
  };
}

const restartChoices = [
  undefined,
  ...(['all', 'configMaps', 'named'] as const).flatMap((sources) =>
    [false, true].map((recreateJobs) => ({
      sources,
      recreateJobs,
      workloadKinds: sources === 'all' ? otherKinds : [],
    })),
  ),
];

const observerChoices = [
  undefined,
  ...(['all', 'named'] as const).flatMap((impersonate) => [false, true].map((secrets) => ({ impersonate, secrets }))),
];

/**
 * Every combination for an overlay that changes the same rules. The components with objects or lines of their own are
 * added in turn, so that each of them occurs with and without many of the others.
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
      evict: isIn(index, 0),
      evidence: isIn(index + 1, 3),
      podCreation: isIn(index, 1),
      networkPolicy: isIn(index, 1),
      podMonitor: isIn(index, 2),
      serviceMonitor: isIn(index, 3),
      metricsSecure: isIn(index, 4),
      monitoring: isIn(index, 5),
      livePage: isIn(index + 1, 4),
      priorityClass: isIn(index + 1, 1),
      observerRoles: isIn(index + 1, 2),
    }));
}

/** Whether this bit of the number is set. */
function isIn(number: number, bit: number): boolean {
  return Math.floor(number / 2 ** bit) % 2 === 1;
}
