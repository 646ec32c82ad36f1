import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { recordedVersions } from '../../src/agents/recorded-versions.ts'
import { agentCache, cachedAgents, cachedProgram } from './cached-agents.ts'

export interface InstallOptions {
  /** Default: the cache of this repository. */
  cache?: string
  /** Prints nothing, and gives up after this time or at the first failed request. */
  quietMs?: number
  /** Default: npm’s own. */
  registry?: string
}

/**
 * Installs agents into the cache, in the newest version that has recordings, without their install
 * scripts. Returns why it failed, for people; undefined if all of them are there.
 */
export const installAgents = (
  names: readonly string[],
  { cache = agentCache, quietMs, registry }: InstallOptions = {},
): string | undefined => {
  mkdirSync(cache, { recursive: true })
  const manifest = join(cache, 'package.json')
  if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }\n')
  const packages = names.map(
    (name) => `${cachedAgents[name]?.package}@${recordedVersions[name]?.at(-1) ?? 'latest'}`,
  )
  const quiet = ['--loglevel=error', '--fetch-retries=0', '--prefer-offline']
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund']
  if (registry !== undefined) args.push(`--registry=${registry}`)
  const { status, stderr, error } = spawnSync(
    'npm',
    [...args, ...(quietMs === undefined ? [] : quiet), ...packages],
    {
      cwd: cache,
      encoding: 'utf8',
      ...(quietMs === undefined ? { stdio: 'inherit' } : { stdio: 'pipe', timeout: quietMs }),
    },
  )
  if (status === 0) return missingOf(names, cache)
  // Half of a package must not be found as a whole one.
  for (const name of names)
    rmSync(join(cache, 'node_modules', cachedAgents[name]?.package.split('/')[0] ?? ''), {
      recursive: true,
      force: true,
    })
  return error?.message ?? firstError(stderr ?? '')
}

const missingOf = (names: readonly string[], cache: string): string | undefined => {
  const missing = names.filter((name) => cachedProgram(name, cache) === undefined)
  return missing.length === 0 ? undefined : `no program for this platform: ${missing.join(', ')}`
}

/** The first line that is a sentence, and not a field of the error. */
const firstError = (stderr: string): string =>
  stderr
    .split('\n')
    .flatMap((line) => /^npm error (.+)/.exec(line)?.[1] ?? [])
    .find((line) => !/^(code|syscall|errno|path|type) /.test(line)) ?? 'npm failed'
