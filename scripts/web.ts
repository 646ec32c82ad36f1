// The web app for whoever runs Sluice from its sources: built into .cache/web, again only when
// something it is made of has changed. Apart from dist/, which a build empties.
import { existsSync, globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'

const root = join(import.meta.dirname, '..')
const output = join(root, '.cache', 'web')

const inputs = [
  'web/**/*',
  'src/{api,client,events,ledger,shared,transcript,turns}/**/*.ts',
  'package-lock.json',
]

const changedAt = (file: string): number => statSync(join(root, file)).mtimeMs

const isFresh = (): boolean => {
  const made = join(output, 'index.html')
  if (!existsSync(made)) return false
  const since = statSync(made).mtimeMs
  const files = globSync(inputs, { cwd: root, exclude: ['web/node_modules/**'] })
  return files.every((file) => changedAt(file) <= since)
}

/** Builds the web app into a directory. */
export const buildWeb = async (outDir: string): Promise<void> => {
  await build({
    configFile: join(root, 'web', 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir },
  })
}

/** Where the web app lies, as the sources stand now. */
export const freshWeb = async (): Promise<string> => {
  if (!isFresh()) await buildWeb(output)
  return output
}
