import type { Decoder } from '../../agents/agent.ts'
import type { AgentEvent } from '../../events/types.ts'
import type { Fields } from '../../shared/fields.ts'
import { ofSubagent } from './subagent-events.ts'

/** One file of a session, and how far it is read. */
export interface Track {
  /** Empty for the session’s own file; otherwise the path of a subagent’s file in its folder. */
  readonly name: string
  /** Where the next line begins. */
  offset: number
  inode: bigint | undefined
  /** Up to where an unfinished line is read that is too long already. */
  skippedTo: number | undefined
  /** The checksum of the end of the last line; undefined if it is not known. */
  tail(): number | undefined
  /** When the last line was written. */
  lastAt: number | undefined
  /** Decodes a line. */
  push(line: Fields): AgentEvent[]
  /** Before an event with which a subagent ends: the events that close what its file leaves open. */
  closeBefore?(event: AgentEvent): AgentEvent[]
}

/** A file of a session, as it was found. */
export interface FoundFile {
  name: string
  path: string
  /** The call that started the subagent. Absent for the session’s own file. */
  toolCallId?: string
}

export interface TrackDecoders {
  /** Decodes the session’s own file. */
  main: Decoder
  /** A decoder for the file of a subagent. */
  ofPart(scope: string): Decoder
  /** A line of a subagent as the decoder of the session reads it, where it can. */
  partLine?(line: Fields, part: { toolCallId: string }): Fields
}

export const createTrack = (
  { name, toolCallId }: FoundFile,
  { main, ofPart, partLine }: TrackDecoders,
): Track => {
  const state = {
    ...{ name, offset: 0, inode: undefined, lastAt: undefined, skippedTo: undefined },
    tail: () => undefined,
  }
  if (toolCallId === undefined) return { ...state, push: (line) => main.push(line) }
  if (partLine) return { ...state, push: (line) => main.push(partLine(line, { toolCallId })) }
  const decoder = ofPart(`${name.replace(/\.jsonl$/, '')} `)
  let hasEnd = false
  return {
    ...state,
    push: (line) => ofSubagent(decoder.push(line), toolCallId),
    closeBefore(event) {
      if (!('toolCallId' in event) || event.toolCallId !== toolCallId) return []
      // One in the background goes on after its call.
      hasEnd ||= event.type === 'subagent_start'
      const isEnd = event.type === (hasEnd ? 'subagent_end' : 'tool_execution_end')
      return isEnd ? ofSubagent(decoder.end(), toolCallId) : []
    },
  }
}
