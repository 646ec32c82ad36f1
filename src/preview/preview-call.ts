import { resolve } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import type { CommandCall, EditCall } from '../agents/tool-calls/known-call.ts'
import type { ArgumentsPreview, CommandPreview, EditPreview } from '../api/types.ts'
import { defined, fieldsOf } from '../shared/fields.ts'
import { editHunks } from './edit-hunks.ts'
import { readTarget } from './read-target.ts'

/** A tool call that waits for an approval. */
export interface PreviewedCall {
  readonly toolName?: string | undefined
  readonly args?: unknown
}

/** Who makes the call, and where. */
export interface PreviewContext {
  readonly agent: Pick<Agent, 'knownCall'> | undefined
  /** The directory that the session works in. */
  readonly cwd: string
}

type Drawn<Preview> = Omit<Preview, 'approvalId' | 'hash' | 'suggestions' | 'canRewrite'>

/** What a call would do, as a person should see it. */
export type CallPreview = Drawn<CommandPreview> | Drawn<EditPreview> | Drawn<ArgumentsPreview>

/**
 * Draws a call only where its arguments say for certain what it does. Whatever is not drawn is listed,
 * so that nothing that runs stays hidden.
 */
export const previewCall = async (
  { toolName = '', args }: PreviewedCall,
  { agent, cwd }: PreviewContext,
): Promise<CallPreview> => {
  const call = agent?.knownCall?.(toolName, args)
  if (call?.kind === 'command') return drawCommand(call, args, cwd)
  if (call?.kind === 'edit') return drawEdit(call, args, cwd)
  return listArguments(args)
}

const drawCommand = (call: CommandCall, args: unknown, cwd: string): Drawn<CommandPreview> => {
  const { [call.commandArgument]: _, ...unshown } = fieldsOf(args)
  return {
    kind: 'command',
    command: call.command,
    ...(call.startsInCwd && { cwd }),
    unshown,
  }
}

const drawEdit = async (call: EditCall, args: unknown, cwd: string): Promise<CallPreview> => {
  const { path, change } = call
  if (!change) return listArguments(args)
  const file = await readTarget(path, cwd)
  if (file.state === 'unreadable') return listArguments(args, file.reason)
  const hunks = editHunks(file, change)
  if (!Array.isArray(hunks)) return listArguments(args, hunks.reason)
  const isElsewhere = file.realPath !== resolve(cwd, path)
  return {
    kind: 'edit',
    path,
    ...(isElsewhere && { realPath: file.realPath }),
    isNewFile: file.state === 'missing',
    hunks,
    unshown: {},
  }
}

const listArguments = (args: unknown, note?: string): Drawn<ArgumentsPreview> => ({
  kind: 'arguments',
  ...defined({ args, note }),
})
