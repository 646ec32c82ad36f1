import type { Ask, Request } from './ask.ts'
import { chosenBy, noAnswer } from './choice.ts'
import { choiceLines, plain, textLines } from './lines.ts'
import { yesOrNo } from './permission.ts'

type Dialog = NonNullable<Request['dialog']>

/** A question of an extension: yes or no, one of some, or a line of text. */
export const askDialog = (dialog: Dialog): Ask => {
  switch (dialog.kind) {
    case 'select':
      return askChoice(dialog)
    case 'input':
    case 'editor':
      return askText(dialog)
    default:
      return { ...said(dialog), keys: 'y yes · n no', read: yesOrNo }
  }
}

const askChoice = (dialog: Dialog): Ask => {
  const { options = [] } = dialog
  const { title, lines } = said(dialog)
  return {
    title,
    lines: [...lines, ...choiceLines(options)],
    keys: `a number or a name · ${noAnswer} no answer`,
    read(line) {
      const value = chosenBy(line, options)
      if (value !== undefined) return { action: 'allow', value, by: 'person' }
      return line === noAnswer ? { action: 'deny', by: 'person' } : undefined
    },
  }
}

/** Every word may be meant, so only an empty line is no answer. */
const askText = (dialog: Dialog): Ask => {
  const { title, lines } = said(dialog)
  const { placeholder } = dialog
  return {
    title,
    lines: placeholder === undefined ? lines : [...lines, ...textLines(placeholder)],
    keys: 'your answer in one line · Enter alone: no answer',
    read: (line) =>
      line === ''
        ? { action: 'deny', by: 'person' }
        : { action: 'allow', value: line, by: 'person' },
  }
}

const said = ({ title, message }: Dialog) => ({
  title: plain(title ?? 'Go on?'),
  lines: message === undefined ? [] : textLines(message),
})
