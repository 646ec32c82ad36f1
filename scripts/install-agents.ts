// Installs agents into a cache for the tests that run real agents: `npm run agents:install [names…]`.
import { cachedAgents, cachedProgram } from '../test/agents/cached-agents.ts'
import { installAgents } from '../test/agents/install-agents.ts'

const known = Object.keys(cachedAgents)
const given = process.argv.slice(2)
const unknown = given.filter((name) => !known.includes(name))
const names = given.length > 0 ? given : known

if (unknown.length > 0) {
  process.stderr.write(`Not known: ${unknown.join(', ')}. Choose from: ${known.join(', ')}.\n`)
  process.exitCode = 2
} else {
  const failure = installAgents(names)
  if (failure !== undefined) {
    process.stderr.write(`${failure}\n`)
    process.exitCode = 1
  }
  for (const name of names) {
    const program = cachedProgram(name)
    if (program !== undefined) process.stdout.write(`${name}: ${program}\n`)
  }
}
