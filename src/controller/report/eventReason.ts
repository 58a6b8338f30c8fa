/** The reason that an event names; empty if it names none. */
export function reasonOf({ reason = '' }: { readonly type: string; readonly reason?: string }): string {
  return reason;
}
