import { expect, test } from 'vitest'
import { claude } from '../../../src/agents/claude/index.ts'
import {
  applyEvents,
  emptyTranscript,
  entriesOf,
  toSnapshot,
} from '../../../src/transcript/index.ts'
import { modelView } from '../../../src/transcript/model-view.ts'
import { claudeSetup, installedClaudes } from '../../agents/claude.ts'
import { startModel } from '../../model/server.ts'
import { textOf } from '../../support/decoded.ts'
import { openLiveSession } from '../../support/live-session.ts'
import { decodeChunks, recording } from '../../support/recordings.ts'

const claudes = installedClaudes()
if (claudes.length === 0)
  console.log('skipped: compactions by Claude Code: CLAUDE_BINS does not name one')

test.each(claudes)(
  'Claude Code $version: a compaction hides nothing, and marks what the model no longer sees',
  async ({ bin, version }) => {
    const model = await startModel()
    const { setup } = claudeSetup(model.url, bin)
    if (!setup) throw new Error('Claude Code went away')
    const session = openLiveSession({ agent: claude, setup, model: 'claude-sonnet-4-5' })
    try {
      await session.run('scenario:text one')
      await session.run('scenario:text two')
      await session.compact()
      await session.until((event) => event.type === 'compaction_end')
      await session.idle()
      expect(textOf(await session.run('scenario:text three'))).toBe('Hello from the model.')
      const context = model.requests.findLast(({ path }) => path.includes('/v1/messages'))?.body
      const parts = await session.contextParts()
      // Releases before 2.1.112 cannot say it.
      if (parts) expect(parts[0]).toMatchObject({ tokens: expect.any(Number) })
      else expect(version).toMatch(/^[12]\.0\./)
      const transcript = applyEvents(emptyTranscript(), session.events)
      const { messages } = toSnapshot(transcript, { projectId: 'p' })
      const answers = modelView(messages).filter(({ role }) => role === 'assistant')
      // All but the last one were part of the last request.
      expect(context?.split('"role":"assistant"')).toHaveLength(answers.length)
      const texts = JSON.stringify(messages)
      for (const prompt of ['scenario:text one', 'scenario:text two', 'scenario:text three'])
        expect(texts).toContain(prompt)
      const summaries = messages.filter(({ role }) => role === 'compactionSummary')
      expect(summaries).toMatchObject([{ reason: 'manual', tokensBefore: expect.any(Number) }])
    } finally {
      await session.close()
      setup.remove()
      await model.close()
    }
  },
  120_000,
)

test('a recorded compaction in the middle of a run keeps the step that it interrupted', () => {
  const { agent, bytes } = recording('claude/2.1.325/autocompact-ok')
  const transcript = applyEvents(emptyTranscript(), decodeChunks(agent, [bytes()]))
  const lines = entriesOf(transcript).flatMap((entry) => {
    if (entry.kind === 'notice') return []
    const what =
      entry.kind === 'tool'
        ? String(Reflect.get(Object(entry.args), 'command'))
        : entry.message.role
    return `${entry.outOfContext ? '-' : '+'} ${what}`
  })
  expect(lines).toEqual([
    '- assistant',
    '- echo grow-0',
    '- assistant',
    '- echo grow-1',
    '+ assistant',
    '+ echo grow-2',
    '+ compactionSummary',
    '+ assistant',
  ])
})
