import { spawnSync } from 'node:child_process'
import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Builds the bundle if it is older than the sources. Returns the reason when that fails. */
export const bundleProblem = (): string | undefined => {
  const changed = globSync('src/**/*.*', { cwd: root }).map(changedAt)
  if (changedAt('dist/cli/main.js') > Math.max(...changed)) return undefined
  const build = spawnSync(process.execPath, ['scripts/build.ts'], { cwd: root, stdio: 'ignore' })
  return build.status === 0
    ? undefined
    : 'the bundle could not be built; run `npm run build` to see why'
}

const changedAt = (path: string): number =>
  statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0
