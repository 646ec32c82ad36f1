/** The shells that `sluice completion` knows. */
export const shellNames = ['bash', 'zsh', 'fish'] as const
export type ShellName = (typeof shellNames)[number]
