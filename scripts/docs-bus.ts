// Writes the reference pages of the bus from its table of subjects. `--check` only compares them.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { busPages } from './docs-bus/page.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const isCheck = process.argv.includes('--check')

for (const [file, text] of busPages()) {
  const path = join(root, file)
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue
  if (isCheck) {
    process.stderr.write(`${file} is stale: npm run docs:bus writes it anew.\n`)
    process.exitCode = 1
    continue
  }
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  process.stdout.write(`${file} written\n`)
}
