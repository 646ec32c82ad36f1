import type { AgentEvent } from '../../../events/types.ts'
import { createLineReader } from '../../../lines/index.ts'
import { type Fields, isFields, stringOf } from '../../../shared/fields.ts'
import { createOpen } from '../open.ts'
import { createAccount } from './account.ts'
import { pause, stopped } from './pause.ts'
import { createQuestions } from './questions.ts'
import { answerOf, saidOf } from './request.ts'
import { playRun } from './run.ts'
import { scriptFor, steeredScript, withPreface } from './scripts.ts'
import type { Stage } from './stage.ts'
import { createWaiting, type Said } from './waiting.ts'
import { goingOn, preface, summary, toolNames } from './words.ts'

export interface ConversationOptions {
  cwd: string
  /** Milliseconds that a word takes. */
  pace: number
  /** What no other process has: ids begin with it. */
  unique: string
  /** Takes one line of output. */
  tell(line: object): void
  model?: string
  /** A conversation to go on with. */
  resume?: string
}

/** The demo’s side of a conversation: lines of commands in, events and replies out. */
export const createConversation = (options: ConversationOptions) => {
  const { pace, unique, resume } = options
  const open = createOpen()
  const account = createAccount()
  let model = options.model ?? 'demo-script'
  let ids = 0
  let isGreeted = false
  let working: Promise<void> | undefined
  let control = new AbortController()

  /** The order holds whatever happens: an event that a stop has overtaken is not told. */
  const tell = (event: AgentEvent): void => {
    if (open.take(event)) options.tell(event)
  }
  const newId = (kind: string): string => {
    ids += 1
    return `${unique}-${kind}-${ids}`
  }
  const questions = createQuestions(tell, newId)
  const waiting = createWaiting(tell)

  const greet = (): string => {
    if (isGreeted) return ''
    isGreeted = true
    return resume === undefined ? preface : `${goingOn(resume)}\n\n${preface}`
  }

  const isWorking = () => working !== undefined

  /** Does something that can be stopped, one at a time. */
  const work = (job: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    control = new AbortController()
    working = job(control.signal)
      .catch((cause: unknown) => {
        tell(account.report())
        const message = cause === stopped ? undefined : String(cause)
        for (const event of open.close(message === undefined ? 'aborted' : 'error', message))
          options.tell(event)
      })
      .finally(() => {
        working = undefined
      })
    return working
  }

  const run = (said: Said, isAsking = true): Promise<void> =>
    work((signal) => {
      const ask: Stage['ask'] = isAsking
        ? (question) => questions.ask(question, signal)
        : questions.allow
      const stage = { tell, signal, pace, model, account, newId, ask }
      const stepsFor = (each: Said) => withPreface(greet(), scriptFor(each))
      return playRun({ stage, waiting, stepsFor, steered: steeredScript }, said)
    })

  const compact = async (signal: AbortSignal): Promise<void> => {
    tell({ type: 'compaction_start', reason: 'manual' })
    try {
      await pause(pace * 40, signal)
    } catch (cause) {
      tell({ type: 'compaction_end', reason: 'manual', aborted: true })
      throw cause
    }
    tell({ type: 'compaction_end', reason: 'manual', summary, ...account.shrink(summary) })
  }

  const stop = async (): Promise<void> => {
    control.abort()
    await working
  }

  const reply = (line: Fields, error?: string): void => {
    const id = stringOf(line.id)
    if (id !== undefined)
      options.tell({ type: 'reply', id, ok: error === undefined, ...(error && { error }) })
  }

  const fail = (message: string, line: Fields = {}): void => {
    reply(line, message)
    tell({ type: 'error', code: 'command_failed', message, fatal: false })
  }

  /** A prompt needs a demo that rests; what joins a run waits for it, or begins one. */
  const hear = (line: Fields, kind?: 'steering' | 'followUp') => {
    const said = saidOf(line)
    if (!said) return fail('A message needs a text.', line)
    if (!isWorking()) return begin(line, () => run(said))
    if (!kind) return refuse(line)
    reply(line)
    waiting.add(kind, said)
  }

  const begin = (line: Fields, job: () => Promise<void>) => {
    if (isWorking()) return refuse(line)
    reply(line)
    void job()
  }

  const refuse = (line: Fields) => reply(line, 'The demo is working.')

  const change = (line: Fields, field: 'model' | 'thinkingLevel' | 'name', value: unknown) => {
    const text = stringOf(value)
    if (!text) return fail(`There is no ${field}.`, line)
    if (field === 'model') model = text
    tell({ type: 'session_update', [field]: text })
    reply(line)
  }

  const answer = (line: Fields): void => {
    const isOpen = questions.answer(stringOf(line.approvalId) ?? '', answerOf(line))
    reply(line, isOpen ? undefined : 'The question is not open.')
  }

  const take = (line: unknown): unknown => {
    if (!isFields(line)) return fail('A command must be a JSON object.')
    switch (line.type) {
      case 'prompt':
        return hear(line)
      case 'steer':
        return hear(line, 'steering')
      case 'followUp':
        return hear(line, 'followUp')
      case 'answer':
        return answer(line)
      case 'abort':
        return stop().then(() => reply(line))
      case 'compact':
        return begin(line, () => work(compact))
      case 'setModel':
        return change(line, 'model', line.model)
      case 'setThinking':
        return change(line, 'thinkingLevel', line.level)
      case 'setName':
        return change(line, 'name', line.name)
      default:
        return fail(
          `The demo knows no command ${JSON.stringify(line.type) ?? 'without a type'}.`,
          line,
        )
    }
  }

  const read = (text: string) => {
    let line: unknown
    try {
      line = JSON.parse(text)
    } catch {
      return fail('A command is not JSON.')
    }
    take(line)
  }

  const reader = createLineReader({
    line: read,
    value() {},
    malformed: () => fail('A command is not JSON.'),
    oversize: () => fail('A command is too long.'),
    torn() {},
  })

  tell({
    type: 'session_start',
    agent: 'demo',
    nativeId: resume ?? `demo-${unique}`,
    model,
    cwd: options.cwd,
    tools: [...toolNames],
    contextWindow: 32_000,
  })
  tell(notice(resume === undefined ? preface : `${goingOn(resume)} ${preface}`))

  return {
    push: (chunk: Uint8Array): void => reader.push(chunk),
    /** Plays one prompt, asking nobody. */
    once: (text: string): Promise<void> => run({ text, images: [] }, false),
    /** Stops what goes on; nothing comes after. */
    close: stop,
  }
}

const notice = (text: string): AgentEvent => ({
  type: 'session_update',
  notice: { level: 'info', text },
})
