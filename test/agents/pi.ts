import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

import { type AgentSetup, createSandbox } from './sandbox.ts'

/** The tested releases: the last one with the old dialect, and a late one. */
export type PiVersion = '0.73' | '0.87'

const manifest = z.object({ bin: z.object({ pi: z.string() }) })

/** The script of a release; run it with Node. */
export function piBin(version: PiVersion): string {
  // By path: neither release exports its package.json.
  const url = new URL(`../../node_modules/pi-${version}/package.json`, import.meta.url)
  const file = fileURLToPath(url)
  return join(dirname(file), manifest.parse(JSON.parse(readFileSync(file, 'utf8'))).bin.pi)
}

export interface PiOptions {
  contextWindow?: number
  /** When Pi compacts its context, and how much of it remains. */
  compaction?: { reserveTokens: number; keepRecentTokens: number }
  /** How long Pi waits before its first retry. */
  retryMs?: number
}

/** Sets up a Pi with two models, both at `modelUrl`, that answers one prompt in JSON mode. */
export function piSetup(
  version: PiVersion,
  modelUrl: string,
  { contextWindow = 200_000, compaction, retryMs = 50 }: PiOptions = {},
): AgentSetup {
  const { home, cwd, env, remove } = createSandbox('pi')
  const agentDir = join(home, 'pi')
  mkdirSync(agentDir)
  writeJson(join(agentDir, 'models.json'), models(modelUrl, contextWindow))
  writeJson(join(agentDir, 'settings.json'), {
    ...settings,
    retry: { ...settings.retry, baseDelayMs: retryMs },
    ...(compaction && { compaction }),
  })
  return {
    argv: [process.execPath, piBin(version), ...args],
    env: {
      ...env,
      PI_CODING_AGENT_DIR: agentDir,
      PI_OFFLINE: '1',
      PI_TELEMETRY: '0',
      PI_SKIP_VERSION_CHECK: '1',
    },
    cwd,
    remove,
  }
}

const args = ['-p', '--mode', 'json', '--no-session', '--model', 'fake/fake-sonnet']

const settings = {
  enableInstallTelemetry: false,
  // No retries of the provider: 0.73 would retry twice for each retry that it reports.
  retry: { enabled: true, maxRetries: 3, provider: { maxRetries: 0 } },
}

function models(baseUrl: string, contextWindow: number): object {
  const model = {
    id: 'fake-sonnet',
    name: 'fake-sonnet',
    reasoning: true,
    input: ['text', 'image'],
    contextWindow,
    maxTokens: 16_000,
    cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  }
  const other = { ...model, id: 'fake-opus', name: 'fake-opus' }
  const fake = { baseUrl, api: 'anthropic-messages', apiKey: 'dummy', models: [model, other] }
  return { providers: { fake } }
}

function writeJson(file: string, value: object): void {
  writeFileSync(file, JSON.stringify(value))
}
