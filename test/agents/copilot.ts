import { join } from 'node:path'
import { programForTests } from './cached-agents.ts'
import { createSandbox, type FoundSetup } from './sandbox.ts'

/** Sets up a Copilot with the model at `modelUrl`. Default: the one that is installed. */
export function copilotSetup(modelUrl: string, bin = programForTests('copilot')): FoundSetup {
  if (!bin) return { setup: undefined, reason: 'COPILOT_BIN does not name a Copilot' }
  const { home, cwd, env, remove } = createSandbox('copilot')
  const provider = { COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`, COPILOT_MODEL: 'gpt-4.1' }
  const places = { COPILOT_OFFLINE: 'true', COPILOT_HOME: join(home, '.copilot') }
  return { setup: { argv: [bin], env: { ...env, ...provider, ...places }, cwd, remove } }
}
