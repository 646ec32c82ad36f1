import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { programForTests } from './cached-agents.ts'
import { createSandbox, type FoundSetup } from './sandbox.ts'

/** Sets up a Cline with the model at `modelUrl`. Default: the one that is installed. */
export function clineSetup(modelUrl: string, bin = programForTests('cline')): FoundSetup {
  if (!bin) return { setup: undefined, reason: 'CLINE_BIN does not name a Cline' }
  const { home, cwd, env, remove } = createSandbox('cline')
  const folder = join(home, '.cline/data/settings')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'providers.json'), JSON.stringify(providers(modelUrl)))
  return { setup: { argv: [bin], env, cwd, remove } }
}

const providers = (modelUrl: string) => ({
  version: 1,
  lastUsedProvider: 'openai-compatible',
  providers: {
    'openai-compatible': {
      settings: {
        provider: 'openai-compatible',
        apiKey: 'dummy',
        model: 'fake-model',
        baseUrl: `${modelUrl}/v1`,
      },
      updatedAt: '2026-01-01T00:00:00.000Z',
      tokenSource: 'manual',
    },
  },
})
