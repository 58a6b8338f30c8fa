/** The formats of output that programs read. */
export const dataFormats = ['json', 'yaml'] as const;

export type DataFormat = (typeof dataFormats)[number];
