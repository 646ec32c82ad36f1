import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { type AgentSetup, createSandbox } from './sandbox.ts'

/** The setup; if the agent is not installed, the reason to skip the test. */
export type GeminiSetup = { setup: AgentSetup } | { setup: undefined; reason: string }

/** Sets up a Gemini CLI with the model at `modelUrl`. Default: the one that GEMINI_BIN names. */
export function geminiSetup(modelUrl: string, bin = process.env.GEMINI_BIN): GeminiSetup {
  if (!bin) return { setup: undefined, reason: 'GEMINI_BIN does not name a Gemini CLI' }
  const { home, cwd, env, remove } = createSandbox('gemini')
  mkdirSync(join(home, '.gemini'))
  writeFileSync(join(home, '.gemini/settings.json'), JSON.stringify(settings))
  return {
    setup: {
      argv: [bin],
      env: {
        ...env,
        GEMINI_API_KEY: 'dummy',
        GOOGLE_GEMINI_BASE_URL: modelUrl,
        GEMINI_CLI_NO_RELAUNCH: 'true',
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
      },
      cwd,
      remove,
    },
  }
}

const settings = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false },
}
