import { expect, test } from 'vitest'
import type { ApprovalAnswers, EventOf, StampedEvent } from '../../src/events/types.ts'
import type { Block, Script } from '../model/scripts.ts'
import { startModel } from '../model/server.ts'
import { openLiveSession } from '../support/live-session.ts'
import { installedLiveAgents } from './live-agents.ts'

const question = {
  ...{ question: 'Which colour?', header: 'Colour', multiSelect: false },
  options: [
    { label: 'Red', description: 'warm' },
    { label: 'Blue', description: 'cold' },
  ],
}
const call = (name: string, input: Record<string, unknown>): Block => ({
  ...{ type: 'tool_use', name, input },
})
const asking = (block: Block): Script => ({
  steps: [
    { kind: 'reply', blocks: [block] },
    { kind: 'reply', blocks: [{ type: 'text', deltas: ['Done.'] }] },
  ],
})
const scripts = {
  form: asking(call('AskUserQuestion', { questions: [question] })),
}

const installed = installedLiveAgents()

/** Runs a scenario of an agent, and answers its first form. Returns the form and what the model got. */
const askedBy = async (
  title: string,
  scenario: string,
  answersTo: (request: EventOf<'approval_request'>) => ApprovalAnswers,
) => {
  const live = installed.find((each) => each.title === title)
  const model = await startModel(scripts)
  const { setup } = live?.setUp(model.url) ?? {}
  if (!live || !setup) return expect.unreachable('the program went away')
  const session = openLiveSession({ agent: live.agent, setup, model: live.model })
  try {
    const running = session.run(`scenario:${scenario} please`)
    const request = await session.until(isForm)
    if (request.type !== 'approval_request') return expect.unreachable('no request')
    const answers = answersTo(request)
    expect(session.answer(request.approvalId, { action: 'allow', answers })).toBe(true)
    await running
    return { request, body: model.requests.map(({ body }) => body).join('\n') }
  } finally {
    await session.close()
    setup.remove()
    await model.close()
  }
}

const isForm = (event: StampedEvent) =>
  event.type === 'approval_request' && event.questions !== undefined

const isMissing = (title: string) => !installed.some((each) => each.title === title)

test.skipIf(isMissing('Claude Code over ACP'))(
  'Claude Code over ACP asks by a form, and the model gets the answer',
  async () => {
    const { request, body } = await askedBy(
      'Claude Code over ACP',
      'form',
      ({ questions = [] }) => ({
        [questions[0]?.question ?? '']: ['Blue'],
      }),
    )
    expect(request).toMatchObject({ kind: 'question', dialog: { message: 'Which colour?' } })
    expect(body).toContain(String.raw`\"Which colour?\"=\"Blue\"`)
  },
)
