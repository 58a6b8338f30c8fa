/** What the tests read of a workflow of GitHub. */
export interface Workflow {
  readonly permissions?: Permissions;
  readonly jobs: Readonly<Record<string, Job>>;
}

type Permissions = 'read-all' | 'write-all' | Readonly<Record<string, string>>;

export interface Job {
  readonly permissions?: Permissions;
  readonly needs?: string | readonly string[];
  readonly outputs?: Readonly<Record<string, string>>;
  readonly steps?: readonly Step[];
}

interface Step {
  readonly id?: string;
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly 'working-directory'?: string;
}

export function stepsOf({ steps = [] }: Job): readonly Step[] {
  return steps;
}
