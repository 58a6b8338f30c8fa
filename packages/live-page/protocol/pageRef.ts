/** The types of objects that have a page. */
export const objectTypes = ['service', 'workload', 'application', 'pod'] as const;
export type ObjectType = (typeof objectTypes)[number];

/** The page of an object, at `#service=shop/db`. */
export interface PageRef {
  readonly type: ObjectType;
  /** `shop/db`; of a workload `Deployment shop/web`; of a service that no watched namespace has `db`. */
  readonly id: string;
}

/** `Service shop/db`, `Deployment shop/web` */
export function nameOfPage({ type, id }: PageRef): string {
  return type === 'workload' ? id : `${type.replace(/^./, (first) => first.toUpperCase())} ${id}`;
}
