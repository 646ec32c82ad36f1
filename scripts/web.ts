// The web app for people who run Sluice from its sources. It is built into .cache/web, and again only
// when one of its sources has changed. Not into dist/: `npm run build` empties that.
import { existsSync, globSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compressFiles } from './compress-files.ts'
import { licenseFile } from './licenses.ts'
import { buildSharePage } from './share-page.ts'

const root = join(import.meta.dirname, '..')
const output = join(root, '.cache', 'web')

/** Written last, so that a build that was cut off is done again. */
const stamp = join(output, '.built')

const inputs = [
  'web/**/*',
  'scripts/{web,compress-files,share-page}.ts',
  'src/{agents/tool-calls,api,client,events,ledger,shared,transcript,turns}/**/*.ts',
  'package-lock.json',
]

/** The page for `sluice share`. Beside the web app, because no server serves it. */
const sharePageOf = (outDir: string): string => join(outDir, '..', 'share', 'page.html')

const changedAt = (file: string): number => statSync(join(root, file)).mtimeMs

/** Whether the built web app is newer than its sources. */
export const isWebFresh = (): boolean => {
  if (!existsSync(stamp) || !existsSync(sharePageOf(output))) return false
  const builtAt = statSync(stamp).mtimeMs
  const files = globSync(inputs, { cwd: root, exclude: ['web/node_modules/**'] })
  return files.every((file) => changedAt(file) <= builtAt)
}

/** Builds the web app into a directory, with compressed copies of its files. */
export const buildWeb = async (outDir: string): Promise<void> => {
  const { build } = await import('vite') // large: loaded only when there is something to build
  await build({
    configFile: join(root, 'web', 'vite.config.ts'),
    logLevel: 'warn',
    build: {
      outDir,
      license: { fileName: licenseFile('web') },
      // A slow machine is not worth a warning.
      rolldownOptions: { checks: { bundlerTimings: false } },
    },
  })
  compressFiles(outDir)
  await buildSharePage(sharePageOf(outDir))
}

/** The directory of the built web app; built first when it is stale. */
export const freshWeb = async (): Promise<string> => {
  if (isWebFresh()) return output
  await buildWeb(output)
  writeFileSync(stamp, '')
  return output
}
