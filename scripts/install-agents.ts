// Installs agents into a cache for the tests that run real agents: `npm run agents:install [names…]`.
// In the newest version that has recordings. Without install scripts: none is needed.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { recordedVersions } from '../src/agents/recorded-versions.ts'
import { agentCache, cachedAgents, cachedProgram } from '../test/agents/cached-agents.ts'

const known = Object.keys(cachedAgents)
const given = process.argv.slice(2)
const unknown = given.filter((name) => !known.includes(name))
const names = given.length > 0 ? given : known

const install = (): boolean => {
  mkdirSync(agentCache, { recursive: true })
  const manifest = join(agentCache, 'package.json')
  if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }\n')
  const packages = names.map(
    (name) => `${cachedAgents[name]?.package}@${recordedVersions[name]?.at(-1) ?? 'latest'}`,
  )
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages]
  const { status } = spawnSync('npm', args, { cwd: agentCache, stdio: 'inherit' })
  return status === 0
}

if (unknown.length > 0) {
  process.stderr.write(`Not known: ${unknown.join(', ')}. Choose from: ${known.join(', ')}.\n`)
  process.exitCode = 2
} else if (install()) {
  for (const name of names) {
    const program = cachedProgram(name)
    process.stdout.write(`${name}: ${program ?? 'no program for this platform'}\n`)
    if (program === undefined) process.exitCode = 1
  }
} else process.exitCode = 1
