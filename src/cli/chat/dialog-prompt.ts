import type { ApprovalPrompt, ApprovalRequest } from './approval-prompt.ts'
import { chosenBy, noAnswerKey } from './choice.ts'
import { choiceLines, textLines, withoutControls } from './lines.ts'
import { yesOrNo } from './tool-prompt.ts'

type Dialog = NonNullable<ApprovalRequest['dialog']>

/** A dialog of an extension: yes or no, a choice, or a line of text. */
export const dialogPrompt = (dialog: Dialog): ApprovalPrompt => {
  switch (dialog.kind) {
    case 'select':
      return askChoice(dialog)
    case 'input':
    case 'editor':
      return askText(dialog)
    default:
      return { ...headOf(dialog), keys: 'y yes · n no', read: yesOrNo }
  }
}

const askChoice = (dialog: Dialog): ApprovalPrompt => {
  const { options = [] } = dialog
  const { title, lines } = headOf(dialog)
  return {
    title,
    lines: [...lines, ...choiceLines(options)],
    keys: `type a number or a name · ${noAnswerKey} no answer`,
    read(line) {
      const value = chosenBy(line, options)
      if (value !== undefined) return { action: 'allow', value, by: 'person' }
      return line === noAnswerKey ? { action: 'deny', by: 'person' } : undefined
    },
  }
}

/** Any text is an answer; only an empty line gives none. */
const askText = (dialog: Dialog): ApprovalPrompt => {
  const { title, lines } = headOf(dialog)
  const { placeholder } = dialog
  return {
    title,
    lines: placeholder === undefined ? lines : [...lines, ...textLines(placeholder)],
    keys: 'type your answer in one line · Enter alone gives none',
    read: (line) =>
      line === ''
        ? { action: 'deny', by: 'person' }
        : { action: 'allow', value: line, by: 'person' },
  }
}

const headOf = ({ title, message }: Dialog) => ({
  title: withoutControls(title ?? 'Continue?'),
  lines: message === undefined ? [] : textLines(message),
})
