import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Writes the files that changed. With `--check`, reports them instead and fails. */
export const writePages = (pages: ReadonlyMap<string, string>, command: string): void => {
  const isCheck = process.argv.includes('--check')
  for (const [file, text] of pages) {
    const path = join(root, file)
    if (existsSync(path) && readFileSync(path, 'utf8') === text) continue
    if (isCheck) {
      process.stderr.write(`${file} is out of date. Run ${command}.\n`)
      process.exitCode = 1
      continue
    }
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    process.stdout.write(`${file} written\n`)
  }
}
