import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { gemini } from '../../../src/agents/gemini/index.ts'
import { openCode } from '../../../src/agents/opencode/index.ts'
import { qwen } from '../../../src/agents/qwen/index.ts'
import type { AgentEvent } from '../../../src/events/types.ts'
import { fieldsOf } from '../../../src/shared/fields.ts'
import { geminiSetup } from '../../agents/gemini.ts'
import { openCodeSetup } from '../../agents/opencode.ts'
import { qwenSetup } from '../../agents/qwen.ts'
import type { AgentSetup } from '../../agents/sandbox.ts'
import { type Script, scripts } from '../../model/scripts.ts'
import { type Model, startModel } from '../../model/server.ts'
import { ofType } from '../../support/decoded.ts'
import { openLiveSession } from '../../support/live-session.ts'

const uses = (name: string, input: object): Script['steps'][number] => ({
  kind: 'reply',
  blocks: [{ type: 'tool_use', name, input: { ...input } }],
})

/** Reads a file, changes it, and writes a new one. */
const edits = (cwd: string): Script => ({
  steps: [
    uses('read', { path: join(cwd, 'hello.txt') }),
    uses('edit', { path: join(cwd, 'hello.txt'), oldText: 'world', newText: 'there' }),
    uses('write', { path: join(cwd, 'below/new.txt'), content: 'new\n' }),
    { kind: 'reply', blocks: [{ type: 'text', deltas: ['Done.'] }] },
  ],
})

const cases = [
  { agent: gemini, setUp: geminiSetup, model: 'gemini-2.5-flash', editMode: 'autoEdit' },
  { agent: qwen, setUp: qwenSetup, model: 'qwen3-coder-plus', editMode: 'auto-edit' },
  { agent: openCode, setUp: openCodeSetup, model: 'fake/fake-model', editMode: undefined },
]

/** The real agents, if they are installed: they edit files through Sluice. */
describe.each(cases)('$agent.title', ({ agent, setUp, model: name, editMode }) => {
  const { setup: available, ...absent } = setUp('http://127.0.0.1')
  available?.remove()
  if ('reason' in absent) console.log(`skipped: ${agent.title}: ${absent.reason}`)

  describe.skipIf(!available)('edits files through Sluice', { timeout: 60_000 }, () => {
    let model: Model
    let setup: AgentSetup
    let methods: unknown[]
    let session: ReturnType<typeof openLiveSession>

    beforeEach(async () => {
      const all = { ...scripts }
      model = await startModel(all)
      const found = setUp(model.url).setup
      if (!found) throw new Error(`${agent.title} went away`)
      setup = found
      Object.assign(all, { edits: edits(setup.cwd) })
      methods = []
      writeFileSync(join(setup.cwd, 'hello.txt'), 'hello\nworld\n')
      const lineTap = {
        isWanted: () => true,
        push: (line: unknown) => void methods.push(fieldsOf(line).method),
      }
      session = openLiveSession({ agent, setup, model: name, deps: { lineTap } })
    })
    afterEach(async () => {
      await session.close()
      setup.remove()
      await model.close()
    })

    const fileNamed = (path: string) => readFileSync(join(setup.cwd, path), 'utf8')
    const isRequest = (event: AgentEvent) => event.type === 'approval_request'

    test('one approval for each edit, which shows what is written', async () => {
      const running = session.run('scenario:edits please')
      let from = 0
      for (const _ of ['edit', 'write']) {
        const request = await session.until(isRequest, from)
        if (request.type !== 'approval_request') throw new Error('no request')
        from = session.events.indexOf(request) + 1
        session.answer(request.approvalId, { action: 'allow' })
      }
      const events = await running
      expect(fileNamed('hello.txt')).toBe('hello\nthere\n')
      expect(fileNamed('below/new.txt')).toBe('new\n')
      expect(methods).toContain('fs/write_text_file')
      expect(ofType(events, 'approval_request')).toHaveLength(2)
      const results = ofType(events, 'tool_result').map(({ message }) => message)
      expect(results.map(({ isError }) => isError)).toEqual([false, false, false])
      expect(JSON.stringify(results[1]?.details)).toContain('-world')
    })

    test.skipIf(!editMode)('no approval in the mode for edits that a person chose', async () => {
      await session.run('scenario:text please')
      expect(await session.setMode(editMode ?? '')).toMatchObject({ outcome: 'accepted' })
      const events = await session.run('scenario:edits please')
      expect(ofType(events, 'approval_request')).toEqual([])
      expect(fileNamed('hello.txt')).toBe('hello\nthere\n')
      expect(fileNamed('below/new.txt')).toBe('new\n')
      expect(methods).toContain('fs/write_text_file')
    })
  })
})
