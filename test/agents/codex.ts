import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { programForTests } from './cached-agents.ts'
import { createSandbox, type FoundSetup } from './sandbox.ts'

/** Sets up a Codex with the model at `modelUrl`. Default: the one that is installed. */
export function codexSetup(modelUrl: string, bin = programForTests('codex')): FoundSetup {
  if (!bin)
    return { setup: undefined, reason: 'Codex is not installed: npm run agents:install codex' }
  const { home, cwd, env, remove } = createSandbox('codex')
  const CODEX_HOME = join(home, '.codex')
  mkdirSync(CODEX_HOME)
  writeFileSync(join(CODEX_HOME, 'config.toml'), config(modelUrl))
  return { setup: { argv: [bin], env: { ...env, CODEX_HOME, FAKE_KEY: 'dummy' }, cwd, remove } }
}

/** Its name decides which tools the model has: this one has `exec_command` and `apply_patch`. */
export const codexModel = 'gpt-5.5'

const config = (modelUrl: string): string => `
model = "${codexModel}"
model_provider = "fake"
[model_providers.fake]
name = "fake"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 1
stream_max_retries = 2
`
