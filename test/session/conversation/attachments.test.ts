import { describe, expect, test } from 'vitest'
import type { Agent } from '../../../src/agents/agent.ts'
import { claude } from '../../../src/agents/claude/index.ts'
import { codex } from '../../../src/agents/codex/index.ts'
import { gemini } from '../../../src/agents/gemini/index.ts'
import { openCode } from '../../../src/agents/opencode/index.ts'
import { pi } from '../../../src/agents/pi/index.ts'
import type { EventOf, StampedEvent } from '../../../src/events/types.ts'
import { checkAttachments } from '../../../src/session/conversation/attachments.ts'
import { claudeSetup } from '../../agents/claude.ts'
import { codexModel, codexSetup } from '../../agents/codex.ts'
import { geminiSetup } from '../../agents/gemini.ts'
import { openCodeSetup } from '../../agents/opencode.ts'
import { piSetup } from '../../agents/pi.ts'
import type { AgentSetup } from '../../agents/sandbox.ts'
import { type Model, startModel } from '../../model/server.ts'
import { ofType } from '../../support/decoded.ts'
import { openLiveSession } from '../../support/live-session.ts'
import { noisePng } from '../../support/png.ts'

const base64 = (content: string | Buffer) => Buffer.from(content).toString('base64')
const notes = { name: 'notes.md', data: base64('# Rules\nUse tabs, “always”.\n') }
const pdf = { name: 'plan.pdf', data: base64('%PDF-1.4\n1 0 obj <<>> endobj\n%%EOF\n') }
const image = { name: 'shot', data: base64(noisePng(4, 4)) }

describe('files of a message', () => {
  const check = (files: { name: string; data: string }[], agent: Agent = claude) =>
    checkAttachments(agent, { files })

  test('have the type of their content, whatever their name says', () => {
    const given = [
      { ...pdf, name: 'plan.txt' },
      { ...notes, name: 'notes.pdf' },
      { ...image, name: 'shot.md' },
    ]
    expect(check(given)).toEqual({
      attachments: {
        images: [{ data: image.data, mimeType: 'image/png' }],
        files: [
          { name: 'plan.txt', mimeType: 'application/pdf', data: pdf.data },
          { name: 'notes.pdf', mimeType: 'text/plain', data: notes.data },
        ],
      },
    })
  })

  test.each([
    ['a program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0])],
    ['an archive', Buffer.from('PK\x03\x04rest', 'latin1')],
    ['text in UTF-16', Buffer.from('\ufeffhello', 'utf16le')],
    ['text in Latin-1', Buffer.from('caf\xe9', 'latin1')],
  ])('%s is refused', (_, bytes) => {
    expect(check([{ name: 'a.txt', data: base64(bytes) }])).toEqual({
      refusal: {
        outcome: 'refused',
        error:
          'The file “a.txt” cannot be sent: it is neither text in UTF-8 nor a PDF file nor an image (PNG, JPEG, GIF or WebP).',
      },
    })
  })

  test('a file that is too large, empty or not Base64 is refused', () => {
    const errors = [
      check([{ name: 'big.txt', data: base64('x'.repeat(1_000_001)) }]),
      check([{ name: 'none.txt', data: '' }]),
      check([{ name: 'odd.txt', data: '*' }]),
      check(Array.from({ length: 21 }, () => notes)),
    ]
    expect(errors.map((each) => ('refusal' in each ? each.refusal : each))).toEqual([
      {
        outcome: 'refused',
        error: 'The file “big.txt” is too large: text files can have up to 1 MB.',
      },
      { outcome: 'refused', error: 'The file “none.txt” is empty.' },
      { outcome: 'refused', error: 'The file “odd.txt” is not valid Base64.' },
      { outcome: 'refused', error: 'A message can have at most 20 files.' },
    ])
  })

  test('a kind that the agent does not take is not supported', () => {
    expect(check([notes, pdf], pi)).toEqual({
      refusal: {
        outcome: 'unsupported',
        error:
          'Pi does not accept PDF files, such as “plan.pdf”. It accepts text files and images.',
      },
    })
  })

  test('a name is a name, not a path', () => {
    const names = ['../../etc/passwd', 'C:\\a\\b.md', 'a\u0007b\n.md', '///']
    const checked = check(names.map((name) => ({ ...notes, name })))
    expect('attachments' in checked && checked.attachments.files?.map(({ name }) => name)).toEqual([
      'passwd',
      'b.md',
      'ab.md',
      'file',
    ])
  })
})

interface RealAgent {
  agent: Agent
  model: string
  setup(url: string): AgentSetup | undefined
  /** What the model receives of the text file, and of the PDF file if the agent takes it. */
  text: string
  pdf?: string
}

const asText = JSON.stringify('<file name="notes.md">\n# Rules\nUse tabs, “always”.\n\n</file>')

const real: Record<string, RealAgent> = {
  'Pi 0.73': {
    agent: pi,
    model: 'fake-sonnet',
    setup: (url) => piSetup('0.73', url),
    text: asText,
  },
  'Pi 0.87': {
    agent: pi,
    model: 'fake-sonnet',
    setup: (url) => piSetup('0.87', url),
    text: asText,
  },
  'Claude Code': {
    agent: claude,
    model: 'claude-sonnet-4-5',
    setup: (url) => claudeSetup(url).setup,
    text: '# Rules\\nUse tabs, “always”.',
    pdf: pdf.data,
  },
  Codex: { agent: codex, model: codexModel, setup: (url) => codexSetup(url).setup, text: asText },
  OpenCode: {
    agent: openCode,
    model: 'fake/fake-model',
    setup: (url) => openCodeSetup(url).setup,
    text: '# Rules\\nUse tabs, “always”.',
    // It answers for a model that cannot read PDF files.
    pdf: 'Cannot read \\"plan.pdf\\"',
  },
  Gemini: {
    agent: gemini,
    model: 'gemini-2.5-flash',
    setup: (url) => geminiSetup(url).setup,
    text: '# Rules\\nUse tabs, “always”.',
    pdf: pdf.data,
  },
}

const isUserMessage = (event: StampedEvent): event is StampedEvent & EventOf<'message_end'> =>
  event.type === 'message_end' && event.message.role === 'user'

describe.each(Object.entries(real))('%s', (name, { agent, setup: setUp, ...expected }) => {
  const probe = setUp('http://127.0.0.1')
  probe?.remove()
  if (!probe) console.log(`skipped: ${name} is not installed`)

  const opened = async () => {
    const model: Model = await startModel()
    const setup = setUp(model.url)
    if (!setup) throw new Error(`${name} went away`)
    const session = openLiveSession({ agent, setup, model: expected.model, policy: 'allow' })
    const close = async () => {
      await session.close()
      setup.remove()
      await model.close()
    }
    return { model, session, close }
  }

  test.skipIf(!probe)('gives the files of a message to the model, and shows it once', async () => {
    const { model, session, close } = await opened()
    const files = expected.pdf === undefined ? [notes] : [notes, pdf]
    expect(await session.prompt('scenario:text please', { files })).toEqual({ outcome: 'accepted' })
    await session.until(({ type }) => type === 'agent_end')
    const bodies = model.requests.map(({ body }) => body).join('\n')
    expect(bodies.includes(expected.text.replace(/^"|"$/g, ''))).toBe(true)
    expect(bodies.includes(expected.pdf ?? '')).toBe(true)
    const messages = session.events.filter(isUserMessage)
    expect(messages).toHaveLength(1)
    expect(messages[0]?.message.content).toEqual([
      { type: 'text', text: 'scenario:text please' },
      { type: 'attachedFile', name: 'notes.md', mimeType: 'text/plain', data: notes.data },
      ...(expected.pdf === undefined
        ? []
        : [{ type: 'attachedFile', ...pdf, mimeType: 'application/pdf' }]),
    ])
    expect(ofType(session.events, 'message_delivery').map(({ state }) => state)).toEqual(['taken'])
    await close()
  })
})

test('a file that steers Pi is shown once, with its name, and waits in the queue by its text', async () => {
  const model = await startModel()
  const setup = piSetup('0.87', model.url)
  const session = openLiveSession({ agent: pi, setup, model: 'fake-sonnet', policy: 'allow' })
  await session.prompt('scenario:parallel please')
  await session.until(({ type }) => type === 'tool_execution_start')
  expect(await session.steer('scenario:text instead', { files: [notes] })).toEqual({
    outcome: 'accepted',
  })
  await session.until(({ type }) => type === 'agent_end')
  const queued = ofType(session.events, 'queue_update').flatMap(
    ({ queued: { items = [] } }) => items,
  )
  expect(queued[0]).toMatchObject({ text: 'scenario:text instead', files: ['notes.md'] })
  expect(session.events.filter(isUserMessage).map(({ message }) => message.content)).toEqual([
    [{ type: 'text', text: 'scenario:parallel please' }],
    [
      { type: 'text', text: 'scenario:text instead' },
      { type: 'attachedFile', name: 'notes.md', mimeType: 'text/plain', data: notes.data },
    ],
  ])
  await session.close()
  setup.remove()
  await model.close()
})
