/** What a user chooses of deploy/: an overlay and components in the order of a kustomization, or values of the chart. */
export interface Choice {
  readonly overlay: string;
  readonly weeding: boolean;
  readonly components: readonly string[];
  readonly values: object;
}

/** Components with objects or lines of their own, which occur with and without many of the others. */
interface Part {
  readonly components: readonly string[];
  values(isChosen: boolean): object;
  /** Whether it is a part of the combination with this number. */
  isChosen(index: number): boolean;
}

const modes: Readonly<Record<string, string>> = { 'highly-available': 'highlyAvailable', sharded: 'sharded' };
const flag = (key: string) => (isChosen: boolean) => ({ [key]: isChosen });
const sections =
  (...keys: readonly string[]) =>
  (isChosen: boolean) =>
    Object.fromEntries(keys.map((key) => [key, { enabled: isChosen }]));

/** Whether this bit of the number is set, from `start` on. */
const bit =
  (position: number, start = 0) =>
  (index: number) =>
    Math.floor((index + start) / 2 ** position) % 2 === 1;

const beforeControllers: readonly Part[] = [
  { components: ['evict'], values: flag('evict'), isChosen: bit(0) },
  { components: ['evidence'], values: flag('evidence'), isChosen: bit(3, 1) },
  { components: ['pod-creation'], values: flag('podCreation'), isChosen: bit(1) },
];
const afterControllers: readonly Part[] = [
  { components: ['network-policy'], values: sections('networkPolicy'), isChosen: bit(1) },
  { components: ['pod-monitor'], values: sections('podMonitor'), isChosen: bit(2) },
  { components: ['service-monitor'], values: sections('serviceMonitor'), isChosen: bit(3) },
  { components: ['metrics-secure'], values: flag('metricsSecure'), isChosen: bit(4) },
  {
    components: ['prometheus-rule', 'grafana-dashboard'],
    values: sections('prometheusRule', 'grafanaDashboard'),
    isChosen: bit(5),
  },
  { components: ['live-page'], values: flag('livePage'), isChosen: bit(4, 1) },
  { components: ['priority-class'], values: sections('priorityClass'), isChosen: bit(1, 1) },
];
const hasObserverRoles = bit(2, 1);

const none = { components: [], values: { enabled: false } };
const otherKinds = [
  { group: 'argoproj.io', resource: 'rollouts' },
  { group: 'apps.kruise.io', resource: 'clonesets' },
];
const restartChoices = (
  [
    ['all', 'restart-control'],
    ['configMaps', 'restart-control-configmaps'],
    ['named', 'restart-control-named'],
  ] as const
).flatMap(([sources, component]) =>
  [false, true].map((recreateJobs) => {
    const workloadKinds = sources === 'all' ? otherKinds : [];
    const ofKinds = workloadKinds.map(({ resource }) => `restart-control-${resource}`);
    return {
      components: [component, ...(recreateJobs ? ['recreate-jobs'] : []), ...ofKinds],
      values: { enabled: true, sources, recreateJobs, workloadKinds },
    };
  }),
);
const observerChoices = (
  [
    ['all', 'observer'],
    ['named', 'observer-named'],
  ] as const
).flatMap(([impersonate, component]) =>
  [false, true].map((secrets) => ({
    components: [component, ...(secrets ? ['observer-secrets'] : [])],
    values: { enabled: true, impersonate, secrets },
  })),
);

/** Overlays that differ from `single` in the workload and the Lease alone. */
const sameRules = ['highly-available', 'sharded'];

/**
 * Every combination of the controllers, which change the same rules, each with some of the other components; for
 * overlays with the same rules every combination of two of them.
 */
export function choices(overlay: string): readonly Choice[] {
  const controllers = [true, false].flatMap((weeding, first) =>
    [none, ...restartChoices].flatMap((restartControl, second) =>
      [none, ...observerChoices].flatMap((observer, third) =>
        sameRules.includes(overlay) && (first + second + third) % 2 === 0
          ? []
          : [{ weeding, restartControl, observer }],
      ),
    ),
  );
  return controllers.map(({ weeding, restartControl, observer }, index) => {
    const chosen = (parts: readonly Part[]) =>
      parts.filter((part) => part.isChosen(index)).flatMap(({ components }) => components);
    const roles = hasObserverRoles(index);
    const parts = [...beforeControllers, ...afterControllers];
    return {
      overlay,
      weeding,
      components: [
        ...(weeding ? [] : ['no-weeding']),
        ...chosen(beforeControllers),
        ...restartControl.components,
        ...observer.components,
        ...chosen(afterControllers),
        ...(roles ? ['observer-roles'] : []),
      ],
      values: {
        mode: modes[overlay] ?? 'single',
        ...(overlay === 'namespaced' ? { namespaces: ['shoot-1', 'shoot-2'] } : {}),
        weeding,
        restartControl: restartControl.values,
        observer: { roles, ...observer.values },
        ...Object.assign({}, ...parts.map((part) => part.values(part.isChosen(index)))),
      },
    };
  });
}
