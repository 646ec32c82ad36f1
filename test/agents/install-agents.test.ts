import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../log/samples.ts'
import { cachedProgram } from './cached-agents.ts'
import { installAgents } from './install-agents.ts'

test('an agent that cannot be downloaded is reported at once, and nothing half is left', () => {
  const cache = temporaryDirectory('agent-cache')
  const half = join(cache, 'node_modules/@openai/codex')
  mkdirSync(half, { recursive: true })
  writeFileSync(join(half, 'package.json'), '{}')
  // Nothing listens there.
  const options = { cache, quietMs: 60_000, registry: 'http://127.0.0.1:9' }
  expect(installAgents(['codex'], options)).toMatch(/127\.0\.0\.1|ECONNREFUSED/)
  expect(existsSync(half)).toBe(false)
  expect(cachedProgram('codex', cache)).toBeUndefined()
})
