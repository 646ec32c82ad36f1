import { homedir } from 'node:os'
import { join } from 'node:path'

/** The data directory that the command line uses by default. */
export const defaultData = (): string => join(homedir(), '.sluice')
