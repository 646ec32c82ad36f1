import type { Style } from '../../handler/style.ts'
import type { ApprovalPrompt, ApprovalRequest } from './approval-prompt.ts'
import { chosenBy, noAnswerKey } from './choice.ts'
import { drawLine, drawText } from './drawn-text.ts'
import { choiceLines, joined, quoted, type RequestLines, said } from './request-lines.ts'
import { yesOrNo } from './tool-prompt.ts'

type Dialog = NonNullable<ApprovalRequest['dialog']>

/** A dialog of an extension: yes or no, a choice, or a line of text. */
export const dialogPrompt = (dialog: Dialog, style: Style): ApprovalPrompt => {
  switch (dialog.kind) {
    case 'select':
      return askChoice(dialog, style)
    case 'input':
    case 'editor':
      return askText(dialog, style)
    case 'url':
      return askToOpen(dialog, style)
    default:
      return { ...headOf(dialog, style), keys: ['y yes · n no'], read: yesOrNo }
  }
}

const askChoice = (dialog: Dialog, style: Style): ApprovalPrompt => {
  const { options = [] } = dialog
  const { title, ...head } = headOf(dialog, style)
  return {
    title,
    ...joined(head, choiceLines(options, style)),
    keys: [`type a number or a name · ${noAnswerKey} no answer`],
    read(line) {
      const value = chosenBy(line, options)
      if (value !== undefined) return { action: 'allow', value, by: 'person' }
      return line === noAnswerKey ? { action: 'deny', by: 'person' } : undefined
    },
  }
}

/** Any text is an answer. An empty line leaves the text that is there, or gives no answer. */
const askText = (dialog: Dialog, style: Style): ApprovalPrompt => {
  const { title, ...head } = headOf(dialog, style)
  const { placeholder, prefill } = dialog
  if (prefill) return askChange(title, head, prefill, style)
  return {
    title,
    ...(placeholder === undefined ? head : joined(head, quoted(drawText(placeholder, style)))),
    keys: ['type your answer in one line · Enter alone gives none'],
    acceptsPasted: () => true,
    read: (line) =>
      line === ''
        ? { action: 'deny', by: 'person' }
        : { action: 'allow', value: line, by: 'person' },
  }
}

const askChange = (
  title: string,
  head: RequestLines,
  text: string,
  style: Style,
): ApprovalPrompt => ({
  title,
  ...joined(head, quoted(drawText(text, style))),
  keys: [`type a new text in one line · Enter alone leaves it as it is · ${noAnswerKey} no answer`],
  acceptsPasted: () => true,
  read: (line) =>
    line === noAnswerKey
      ? { action: 'deny', by: 'person' }
      : { action: 'allow', value: line === '' ? text : line, by: 'person' },
})

/** The person opens the address, never Sluice: it may be a trap. */
const askToOpen = (dialog: Dialog, style: Style): ApprovalPrompt => {
  const { title, ...head } = headOf(dialog, style)
  const { url = '' } = dialog
  const host = URL.canParse(url) ? new URL(url).host : url
  return {
    title,
    ...joined(
      head,
      said(`Open this address at ${drawLine(host, style)}, if you trust it:`),
      quoted(drawText(url, style)),
    ),
    keys: ['y I open it · n no'],
    read: yesOrNo,
  }
}

const headOf = ({ title = 'Continue?', message }: Dialog, style: Style) => ({
  title: drawLine(title, style),
  ...(message === undefined ? joined() : quoted(drawText(message, style))),
})
