// `node scripts/release-notes.js 0.2.0`: prints the changelog of a version. Fails when package.json
// has another version, or the changelog has no section for it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const [wanted] = process.argv.slice(2)
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')

const fail = (message) => {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

if (wanted === undefined) fail('Usage: node scripts/release-notes.js <version>')
if (version !== wanted) fail(`package.json has version ${version}, not ${wanted}.`)
const sections = changelog.split(/^## /m)
const section = sections.find(
  (each) => each.startsWith(`${wanted} `) || each.startsWith(`${wanted}\n`),
)
if (section === undefined) fail(`CHANGELOG.md has no section "## ${wanted}".`)
process.stdout.write(`${section.slice(section.indexOf('\n')).trim()}\n`)
