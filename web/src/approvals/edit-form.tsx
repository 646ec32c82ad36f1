import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { toolKindOf } from '../../../src/agents/tool-calls/tool-kind.ts'
import { fieldsOf, isFields, stringIn } from '../../../src/shared/fields.ts'
import { reasonOf } from '../../../src/shared/reason.ts'
import { isTouch } from '../parts/is-touch.ts'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { ArgsList, shownArgs } from './args-list.tsx'
import { HiddenCharacters } from './hidden-characters.tsx'

interface Props {
  toolName: string
  args: unknown
  isSending: boolean
  onAllow: (input: Record<string, unknown>) => void
  onCancel: () => void
}

/** Edits the arguments of a tool call: a command as text, others as JSON. */
export const EditForm = ({ toolName, args, isSending, onAllow, onCancel }: Props) => {
  const command = toolKindOf(toolName) === 'shell' ? stringIn(args, 'command') : undefined
  const [text, setText] = useState(command ?? JSON.stringify(args, null, 2) ?? '')
  const [problem, setProblem] = useState<string>()
  const submit = (event: { preventDefault(): void }) => {
    event.preventDefault()
    if (command !== undefined) return onAllow({ ...fieldsOf(args), command: text })
    try {
      const input: unknown = JSON.parse(text)
      if (isFields(input)) onAllow({ ...input })
      else setProblem('The arguments must be a JSON object.')
    } catch (cause) {
      setProblem(`Invalid JSON: ${reasonOf(cause)}`)
    }
  }
  /** Enter sends a one-line command. Otherwise, and on touch screens, it adds a line. */
  const onKeyDown = (event: KeyboardEvent) => {
    // Keys of an input method, and keys held down since before, are not meant for the form.
    if (event.nativeEvent.isComposing || event.repeat) return
    if (event.key === 'Escape') return onCancel()
    if (event.key !== 'Enter') return
    const isOneLine = command !== undefined && !text.includes('\n')
    if (event.ctrlKey || event.metaKey || (isOneLine && !event.shiftKey && !isTouch()))
      submit(event)
  }
  return (
    <form className="approval-form" onSubmit={(event: FormEvent) => submit(event)}>
      <label>
        {command === undefined ? 'Arguments' : 'Command'}
        <textarea
          // biome-ignore lint/a11y/noAutofocus: the user has just opened this field.
          autoFocus
          className="mono"
          rows={Math.min(16, text.split('\n').length + 1)}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          spellCheck={false}
        />
      </label>
      <HiddenCharacters text={text} />
      {command !== undefined && <OtherArgs args={args} />}
      <ProblemMessage reason={problem} />
      <div className="approval-buttons">
        <button type="submit" className="primary" disabled={isSending}>
          Allow with changes
        </button>
        <button type="button" onClick={onCancel}>
          Back
        </button>
      </div>
    </form>
  )
}

/** The arguments that stay as they were requested. */
const OtherArgs = ({ args }: { args: unknown }) => {
  const others = shownArgs(args).filter(({ name }) => name !== 'command')
  return others.length > 0 && <ArgsList args={others} />
}
