export type Collected = string;
export function readLines(text: string): Collected { return text; }
