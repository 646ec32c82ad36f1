import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claude } from '../../../src/agents/claude/index.ts'
import type { EventOf } from '../../../src/events/types.ts'
import { extractBlobs } from '../../../src/log/blobs/extract-blobs.ts'
import { withFullOutput } from '../../../src/session/conversation/full-output.ts'
import { claudeSetup } from '../../agents/claude.ts'
import { type Script, scripts } from '../../model/scripts.ts'
import { startModel } from '../../model/server.ts'
import { ofType } from '../../support/decoded.ts'
import { openLiveSession } from '../../support/live-session.ts'

let config: string
beforeEach(() => {
  config = mkdtempSync(join(tmpdir(), 'sluice-claude-'))
  mkdirSync(join(config, 'projects/p/s/tool-results'), { recursive: true })
})
afterEach(() => rmSync(config, { recursive: true }))

const resultWith = (persistedOutputPath: unknown): EventOf<'tool_result'> => ({
  type: 'tool_result',
  message: {
    ...{ role: 'toolResult', toolCallId: 't', toolName: 'Bash', isError: false },
    content: [{ type: 'text', text: 'a part' }],
    details: { stdout: 'a part', persistedOutputPath },
  },
})
const outputOf = (path: unknown) => {
  const env = { CLAUDE_CONFIG_DIR: config }
  return withFullOutput(resultWith(path), { agent: claude, env }).message
}

test('a result has the output that Claude Code stored beside the conversation', () => {
  const path = join(config, 'projects/p/s/tool-results/b.txt')
  writeFileSync(path, 'all of it')
  expect(outputOf(path)).toMatchObject({ output: 'all of it', outputSize: 9 })
})

test('no other file of Claude Code is read, such as its credentials', () => {
  const credentials = join(config, '.credentials.json')
  writeFileSync(credentials, 'secret')
  const paths = [
    credentials,
    join(config, 'projects/p/s/tool-results/../../../../.credentials.json'),
    '/etc/passwd',
    'projects/p/s/tool-results/b.txt',
    7,
  ]
  for (const path of paths) expect(outputOf(path)).not.toHaveProperty('output')
})

test('a long output becomes a blob, and its beginning stays', () => {
  const path = join(config, 'projects/p/s/tool-results/b.txt')
  writeFileSync(path, 'x'.repeat(9_000_000))
  const { event, blobs } = extractBlobs({ type: 'tool_result', message: outputOf(path) })
  expect(blobs.map(({ bytes }) => bytes.length)).toEqual([8_000_000])
  expect(event).toMatchObject({
    message: { outputBlob: { size: 8_000_000 }, outputSize: 9_000_000 },
  })
  expect(JSON.stringify(event).length).toBeLessThan(100_000)
})

const { setup: available, ...absent } = claudeSetup('http://127.0.0.1')
available?.remove()
if ('reason' in absent) console.log(`skipped: Claude Code: ${absent.reason}`)

const huge: Script = {
  steps: [
    {
      kind: 'reply',
      blocks: [{ type: 'tool_use', name: 'bash', input: { command: 'seq 1 50000' } }],
    },
    { kind: 'reply', blocks: [{ type: 'text', deltas: ['Over', '.'] }] },
  ],
}

describe.skipIf(!available)('Claude Code', () => {
  test('the whole output of a long command is in the events', async () => {
    const model = await startModel({ ...scripts, huge })
    const { setup } = claudeSetup(model.url)
    if (!setup) throw new Error('CLAUDE_BIN went away')
    const options = { agent: claude, setup, model: 'claude-sonnet-4-5', policy: 'allow' } as const
    const session = openLiveSession(options)
    await session.run('scenario:huge please')
    const [result] = ofType(session.events, 'tool_result')
    const numbers = Array.from({ length: 50_000 }, (_, index) => index + 1)
    expect(result?.message.output?.trim().split('\n').map(Number)).toEqual(numbers)
    await session.close()
    setup.remove()
    await model.close()
  })
})
