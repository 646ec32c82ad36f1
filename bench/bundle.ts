import { spawnSync } from 'node:child_process'
import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Sees to it that there is a bundle of these sources; where there can be none, gives the reason. */
export const whyNoBundle = (): string | undefined => {
  const changed = globSync('src/**/*.*', { cwd: root }).map(changedAt)
  if (changedAt('dist/cli/main.js') > Math.max(...changed)) return undefined
  const build = spawnSync(process.execPath, ['scripts/build.ts'], { cwd: root, stdio: 'ignore' })
  return build.status === 0 ? undefined : 'the bundle could not be built: see `npm run build`'
}

const changedAt = (path: string): number =>
  statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0
