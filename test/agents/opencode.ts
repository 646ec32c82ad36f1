import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { programForTests } from './cached-agents.ts'
import { createSandbox, type FoundSetup } from './sandbox.ts'

/**
 * Sets up an OpenCode that asks about commands and edits, with the model at `modelUrl`. Default: the
 * one that is installed.
 */
export function openCodeSetup(
  modelUrl: string,
  bin = programForTests('opencode'),
  permission: object = { bash: 'ask', edit: 'ask' },
): FoundSetup {
  if (!bin)
    return {
      setup: undefined,
      reason: 'OpenCode is not installed: npm run agents:install opencode',
    }
  const { home, cwd, env, remove } = createSandbox('opencode')
  mkdirSync(join(home, '.config/opencode'), { recursive: true })
  writeFileSync(
    join(home, '.config/opencode/opencode.json'),
    JSON.stringify({ ...config(modelUrl), permission }),
  )
  return { setup: { argv: [bin], env, cwd, remove } }
}

const config = (modelUrl: string) => ({
  autoupdate: false,
  share: 'disabled',
  model: 'fake/fake-model',
  small_model: 'fake/fake-model',
  provider: {
    fake: {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: `${modelUrl}/v1`, apiKey: 'dummy' },
      models: {
        'fake-model': {
          reasoning: true,
          tool_call: true,
          attachment: true,
          modalities: { input: ['text', 'image'], output: ['text'] },
          cost: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 },
          limit: { context: 100_000, output: 8000 },
        },
      },
    },
  },
})
