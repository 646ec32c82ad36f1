import { join } from 'node:path'
import { type AgentSetup, createSandbox } from './sandbox.ts'

/**
 * Sets up the Copilot that COPILOT_BIN names, with the model at `modelUrl`; undefined if it names none.
 */
export function copilotSetup(modelUrl: string, bin = process.env.COPILOT_BIN) {
  if (!bin) return undefined
  const { home, cwd, env, remove } = createSandbox('copilot')
  const provider = { COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`, COPILOT_MODEL: 'gpt-4.1' }
  const places = { COPILOT_OFFLINE: 'true', COPILOT_HOME: join(home, '.copilot') }
  return {
    argv: [bin],
    env: { ...env, ...provider, ...places },
    cwd,
    remove,
  } satisfies AgentSetup
}
