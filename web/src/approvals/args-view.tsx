import { toolKindOf } from '../../../src/agents/tool-calls/tool-kind.ts'
import { stringIn } from '../../../src/shared/fields.ts'
import { DiffView } from '../diff/diff-view.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { CommandView } from '../tools/bodies.tsx'
import { editDiff } from '../tools/edit-diff.ts'

/** What a tool call would do: a command, a diff, or its arguments as JSON. */
export const ArgsView = ({ toolName, args }: { toolName: string; args: unknown }) => {
  const kind = toolKindOf(toolName)
  const command = kind === 'shell' ? stringIn(args, 'command', 'cmd') : undefined
  if (command !== undefined)
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable by keyboard.
      <section className="approval-command" tabIndex={0} aria-label="Command">
        <CommandView command={command} />
      </section>
    )
  const edit = kind === 'edit' ? editDiff(args) : undefined
  if (edit && edit.hunks.length > 0)
    return (
      <div className="approval-edit">
        <p className="approval-path">{edit.path}</p>
        <DiffView hunks={edit.hunks} label={`Changes to ${edit.path}`} />
      </div>
    )
  return args === undefined ? null : <JsonView value={args} />
}
