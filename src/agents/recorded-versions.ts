import { isAtLeast } from './version.ts'

/**
 * The versions of which there are recordings, oldest first. Other versions are read the same way; what
 * they print and older ones do not becomes `raw` events. A test compares the list with the recordings.
 */
export const recordedVersions: Readonly<Record<string, readonly string[]>> = {
  claude: ['1.0.128', '2.0.77', '2.1.112', '2.1.212', '2.1.325'],
  cline: ['3.0.65'],
  copilot: ['1.0.102'],
  gemini: ['0.61.0'],
  codex: ['0.166.0'],
  opencode: ['1.18.33'],
  pi: ['0.51.6', '0.73.1', '0.84.0', '0.87.1', '1.5.0'],
  qwen: ['0.24.4'],
}

/** How a version compares with the recordings of its agent. */
export type VersionStanding = 'recorded' | 'between' | 'newer' | 'older' | 'unknown'

export const standingOf = (agent: string, version: string | null): VersionStanding => {
  const versions = Object.hasOwn(recordedVersions, agent) ? (recordedVersions[agent] ?? []) : []
  const [oldest, newest] = [versions[0], versions.at(-1)]
  if (version === null || oldest === undefined || newest === undefined) return 'unknown'
  if (versions.includes(version)) return 'recorded'
  if (!isAtLeast(version, oldest)) return 'older'
  return isAtLeast(version, newest) ? 'newer' : 'between'
}
