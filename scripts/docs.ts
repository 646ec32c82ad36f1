// Writes the reference pages from the schemas and the recordings. `--check` only compares them.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pages } from './docs/pages.ts'
import { readRecorded } from './docs/recorded.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const isCheck = process.argv.includes('--check')

for (const [file, text] of pages(await readRecorded(join(root, 'recordings')))) {
  const path = join(root, file)
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue
  if (isCheck) {
    process.stderr.write(`${file} is stale: npm run docs writes it anew.\n`)
    process.exitCode = 1
    continue
  }
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  process.stdout.write(`${file} written\n`)
}
