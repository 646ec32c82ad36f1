// Installs the dependencies when they differ from the lockfile, then runs the rest of the command line
// with the project's own Node. Plain JavaScript without dependencies: it must run on Node 20 in a fresh
// clone. `ready.js FILE ARGS…` runs a script, `ready.js --bin NAME ARGS…` an installed program.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const binaries = join(root, 'node_modules', '.bin')
const installedNode = join(binaries, 'node')
// SLUICE_NODE=system: the Node that runs this file, to test with another version.
const isSystem = process.env.SLUICE_NODE === 'system'
const node = isSystem ? process.execPath : installedNode

const packagesOf = (file) => JSON.parse(readFileSync(join(root, file), 'utf8')).packages

const isInstalled = () => {
  const installed = join('node_modules', '.package-lock.json')
  if (!existsSync(join(root, installed)) || !existsSync(installedNode)) return false
  const there = packagesOf(installed)
  return Object.entries(packagesOf('package-lock.json')).every(
    ([path, wanted]) =>
      path === '' || wanted.optional || wanted.link || there[path]?.version === wanted.version,
  )
}

if (!isInstalled()) {
  process.stderr.write('Installing dependencies (only the first time)…\n')
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  const { status } = spawnSync('npm', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) {
    process.stderr.write('npm ci failed: see the error above.\n')
    process.exit(1)
  }
}

const [first, ...rest] = process.argv.slice(2)
const isBin = first === '--bin'
const file = isBin ? join(binaries, rest[0]) : join(root, first)
const path = [...(isSystem ? [dirname(node)] : []), binaries, process.env.PATH].join(delimiter)
const child = spawn(node, [file, ...(isBin ? rest.slice(1) : rest)], {
  stdio: 'inherit',
  env: { ...process.env, PATH: path },
})
// Ctrl-C reaches the whole process group: the child has it already, and decides what to do.
process.on('SIGINT', () => {})
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code))
