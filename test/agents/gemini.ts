import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { programForTests } from './cached-agents.ts'
import { createSandbox, type FoundSetup } from './sandbox.ts'

/** Sets up a Gemini CLI with the model at `modelUrl`. Default: the one that is installed. */
export function geminiSetup(modelUrl: string, bin = programForTests('gemini')): FoundSetup {
  if (!bin)
    return {
      setup: undefined,
      reason: 'Gemini CLI is not installed: npm run agents:install gemini',
    }
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
