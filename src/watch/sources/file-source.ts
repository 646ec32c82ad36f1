import type { Decoder, DecoderOptions } from '../../agents/agent.ts'
import type { Fields } from '../../shared/fields.ts'

/** How one agent stores its sessions as files of lines. */
export interface FileSource {
  readonly agent: string
  /** The directory below which its sessions are. Nothing outside it is read. */
  directory(env: NodeJS.ProcessEnv, home: string): string
  /** What a file is, by its path below the directory, with `/` between names. Undefined: not read. */
  fileAt(path: string): SessionPath | undefined
  /** Where the files of subagents are, by the path of the session’s file and the agent’s id of it. */
  partsOf?(path: string, nativeId: string): FilePattern
  /** Files of subagents that lie among those of sessions. */
  readonly looseParts?: LooseParts
  /** The agent’s own id of the session, by the path of its file. Without it, only the lines say it. */
  nativeIdAt?(path: string): string | undefined
  loadDecoder(): Promise<(options?: DecoderOptions) => Decoder>
  /** How the lines of a subagent’s file are read. Without it, they have a decoder of their own. */
  partLine?(line: Fields, part: PartInfo): Fields
  /** Whether a line has nothing that a reader needs, by its beginning: then it is not parsed. */
  isSkipped?(beginning: string): boolean
  /** What copies of a conversation have in common: the id of its first message. */
  beginningOf?(line: Fields): string | undefined
  /** The agent’s id of the session that a line is a copy from, if the totals do not include the copies. */
  originalOf?(line: Fields): string | undefined
  /** The path of another session’s file in the same folder, by the agent’s id of it. */
  pathBeside?(path: string, nativeId: string): string
}

/**
 * A file of the session’s own, or one of a subagent with the pattern of its session’s file. `loose`: its
 * first line says which session it is of.
 */
export type SessionPath =
  | { kind: 'session' }
  | { kind: 'part'; session: FilePattern }
  | { kind: 'loose' }

/** Files of subagents that lie in the directory of their session’s file. */
export interface LooseParts {
  name: RegExp
  /** The name of the session’s file, by the beginning of a subagent’s. */
  sessionIn(beginning: string): string | undefined
}

/** Files of one directory. */
export interface FilePattern {
  /** Path below the directory of the agent. */
  directory: string
  name: RegExp
  /** The name, if only one fits. */
  only?: string
}

/** What is known of a subagent’s file. */
export interface PartInfo {
  /** The id of the tool call that started the subagent. */
  toolCallId: string
}

/** Text as a part of a pattern that matches just that text. */
export const literally = (text: string): string => text.replace(/[^\w]/g, '\\$&')

/** A pattern that matches one name. */
export const onlyName = (only: string): Pick<FilePattern, 'name' | 'only'> => ({
  ...{ name: new RegExp(`^${literally(only)}$`), only },
})
