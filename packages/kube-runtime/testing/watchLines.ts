/** One line of a watch. */
export function eventLine(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`;
}

/** A bookmark at `version`; `isLast` marks the end of the complete state. */
export function bookmarkLine(version: number, isLast = false): string {
  const annotations = isLast ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
  const metadata = { resourceVersion: String(version), ...annotations };
  return eventLine('BOOKMARK', { kind: 'Pod', apiVersion: 'v1', metadata });
}

/** A Status with `code`, as it is sent in a watch and as a response. */
export function statusObject(code: number, reason: string, message = `${reason} said the server`) {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
}
