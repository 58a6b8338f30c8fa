import type { ControllerSummary, Did, DidCount, Overview, OverviewPart } from '@weeder/live-page';
import { kindOf, severities } from '@weeder/live-page';
import type { Config } from '../../config/config.ts';
import type { DidTypes, Seen } from '../../controller/contribution/contribution.ts';
import { type ControllerName, contributions, controllerNames } from '../../controllers/controllers.ts';
import type { History } from '../history.ts';
import type { PageSource } from '../pageSource.ts';

/** The process. */
interface Running {
  readonly isDryRun: boolean;
  /** The config in force; undefined in a replay. */
  readonly config: Config | undefined;
}

/** Composes the overview from the parts of the controllers. A standby has none. Before the first source there are none. */
export async function composeOverview(
  source: Pick<PageSource, 'shown' | 'leadership' | 'has'> | undefined,
  seen: Seen,
  counted: ReturnType<History['counts']>,
  { isDryRun, config }: Running,
): Promise<Overview> {
  const leader = (source?.leadership?.()?.state ?? 'leading') === 'leading' ? source : undefined;
  const composed = await Promise.all(controllerNames.map((of) => partOf(of, leader, seen)));
  const parts = composed.flatMap((part) => part ?? []);

  /** A standby, or a controller whose code is being loaded, has no part. */
  function summaryOf(of: ControllerName, part: OverviewPart | undefined): ControllerSummary {
    const { name, isConfigured, overview } = contributions[of];
    const isOn = source?.has?.(of) !== false && (config === undefined ? part !== undefined : isConfigured(config));
    const { summary = '', since } = isOn ? (part ?? {}) : {};
    const state = leader === undefined ? 'standby' : 'on';
    return { name, state: isOn ? state : 'off', summary, since, example: overview.example };
  }

  return {
    problems: severities.flatMap((severity) =>
      parts.flatMap(({ problems }) => problems.filter((group) => group.severity === severity && group.total > 0)),
    ),
    waits: parts.flatMap(({ waits }) => waits.filter(({ total }) => total > 0)),
    did: { ...didOf(counted), isDryRun },
    controllers: source === undefined ? [] : controllerNames.map((of, index) => summaryOf(of, composed[index])),
  };
}

async function partOf<K extends ControllerName>(
  of: K,
  source: Pick<PageSource, 'shown'> | undefined,
  seen: Seen,
): Promise<OverviewPart | undefined> {
  const shown = source?.shown(of);
  return shown === undefined ? undefined : await contributions[of].overview.part(shown, seen);
}

function didOf({ from, byType, saved }: ReturnType<History['counts']>): Omit<Did, 'isDryRun'> {
  const all = controllerNames.flatMap((of) =>
    Object.entries<DidTypes<string> | 'saved'>(contributions[of].overview.did),
  );
  const countOf = (types: readonly string[]) => types.reduce((sum, type) => sum + (byType.get(type) ?? 0), 0);
  const counts = all.map(
    ([words, counted]): DidCount =>
      counted === 'saved'
        ? { words, kind: 'deletion', count: saved, isTime: true }
        : { words, kind: kindOf(counted[0]), count: countOf(counted) },
  );
  return { from, counts };
}
