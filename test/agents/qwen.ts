import { programForTests } from './cached-agents.ts'
import { createSandbox, type FoundSetup } from './sandbox.ts'

/** Sets up a Qwen Code with the model at `modelUrl`. Default: the one that is installed. */
export function qwenSetup(modelUrl: string, bin = programForTests('qwen')): FoundSetup {
  if (!bin)
    return { setup: undefined, reason: 'Qwen Code is not installed: npm run agents:install qwen' }
  const { cwd, env, remove } = createSandbox('qwen')
  return {
    setup: {
      argv: [bin],
      env: {
        ...env,
        OPENAI_API_KEY: 'dummy',
        OPENAI_BASE_URL: `${modelUrl}/v1`,
        OPENAI_MODEL: 'qwen3-coder-plus',
        QWEN_CODE_NO_RELAUNCH: 'true',
      },
      cwd,
      remove,
    },
  }
}
