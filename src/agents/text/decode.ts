import type { Decoder, DecoderOptions, ProcessExit } from '../agent.ts'
import { createEventQueue, type Emit } from '../emit.ts'
import { createMessageDraft, type MessageDraft } from '../message-draft.ts'
import { createPlainRun, type PlainOutcome } from '../plain-run.ts'
import { endsInHalfPair } from '../strings.ts'

/** A message ends with the first line after so many characters. */
const enough = 48 * 1024
/** No message is longer: a program may print no line feed at all. */
const most = 64 * 1024

/**
 * Reads what a program prints as text. The text is cut into messages by its length alone, so that
 * the parts in which it arrives do not matter.
 */
export const createTextDecoder = ({ scope = '' }: DecoderOptions = {}): Decoder => {
  const { emit, take } = createEventQueue('text')
  const run = createPlainRun(emit)
  const messages = createTextMessages(scope, emit)

  return {
    push(part) {
      if (typeof part !== 'string') emit({ type: 'raw', agent: 'text', line: part })
      else if (part !== '') {
        if (!run.isOpen()) run.startTurn()
        messages.push(part)
      }
      return take()
    },
    end(exit) {
      const outcome = outcomeOf(exit)
      messages.end(outcome)
      if (!run.isOpen()) run.startTurn()
      run.end(outcome)
      return take()
    },
  }
}

const createTextMessages = (scope: string, emit: Emit) => {
  let count = 0
  let size = 0
  let draft: MessageDraft | undefined

  const append = (part: string) => {
    draft ??= createMessageDraft(`${scope}m${++count}`, emit, undefined)
    draft.delta('text', 'text', part)
    size += part.length
  }

  const finish = () => {
    draft?.finish()
    draft = undefined
    size = 0
  }

  return {
    push(text: string) {
      for (let rest = text; rest !== ''; ) {
        const end = endOfMessage(rest, size)
        append(rest.slice(0, end))
        if (end !== undefined) finish()
        rest = end === undefined ? '' : rest.slice(end)
      }
    },
    end({ stopReason, errorMessage }: PlainOutcome) {
      const failure = errorMessage === undefined ? undefined : { reason: stopReason, errorMessage }
      draft?.finish({}, failure)
      draft = undefined
    },
  }
}

/** Where the message ends in a text that follows `size` characters; undefined if it does not. */
const endOfMessage = (text: string, size: number): number | undefined => {
  const line = text.indexOf('\n', Math.max(0, enough - size - 1))
  const limit = most - size
  if (line >= 0 && line < limit) return line + 1
  if (text.length < limit) return undefined
  // Not inside a character of two halves, unless its first half has been emitted.
  return limit > 1 && endsInHalfPair(text.slice(0, limit)) ? limit - 1 : limit
}

/** How the run ended. Of a file it is not known how the program ended. */
const outcomeOf = (exit: ProcessExit | undefined): PlainOutcome => {
  if (!exit || exit.code === 0) return { stopReason: 'stop' }
  const { code, signal, stderr = '' } = exit
  if (code === null)
    return {
      stopReason: 'interrupted',
      errorMessage: `The program was killed by ${signal ?? 'a signal'}.`,
    }
  const output = stderr === '' ? '' : `\n${stderr}`
  return { stopReason: 'error', errorMessage: `The program exited with code ${code}.${output}` }
}
