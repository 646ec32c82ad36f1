import { z } from 'zod'

/** A piece of a file, as an object of its own. It is compressed. */
const storedPiece = z.object({
  object: z.string().min(1).max(200),
  /** How long it is when it is unpacked. */
  bytes: z.int().positive(),
})

const storedFile = z.object({
  /** Path below the directory of the agent, with `/` between the names. Nothing is believed about it. */
  path: z.string().min(1).max(1024),
  bytes: z.int().nonnegative(),
  /** The SHA-256 of the whole file, in hex. */
  hash: z.string().length(64),
  pieces: z.array(storedPiece).max(1000),
})

/** The files of an agent’s conversation, as they are stored for other nodes. */
export const storedHistory = z.object({
  /** The claim of the session under which it was stored. Earlier claims may not change it. */
  term: z.int().nonnegative(),
  /** The node that stored it; empty if none has. */
  node: z.string(),
  agent: z.string(),
  /** The agent’s own id of the conversation. */
  nativeId: z.string(),
  /** The directory that the agent worked in, without links. */
  cwd: z.string(),
  storedAt: z.number(),
  /** `too_large`: nothing of the conversation is stored. */
  state: z.enum(['whole', 'too_large']),
  /** How long all files are. */
  bytes: z.int().nonnegative(),
  files: z.array(storedFile).max(2000),
  /** Objects that are being written, or that no file needs any more. */
  unused: z.array(z.string()).max(20_000),
})
export type StoredHistory = z.infer<typeof storedHistory>
export type StoredFile = z.infer<typeof storedFile>

/** The conversations of agents, where nodes share no directory that has them. */
export interface HistoryStore {
  /** What is stored for a session. Undefined when there is nothing that can be read. */
  get(sessionId: string): Promise<StoredHistory | undefined>
  /**
   * Says that the node with this claim writes from now on, and returns what is stored: no files if there is nothing.
   * Throws `fenced` when a later claim has been here before.
   */
  begin(sessionId: string, term: number): Promise<StoredHistory | undefined>
  /** Replaces what is stored. Throws `fenced` like `begin`, and `unknown_session`. */
  put(sessionId: string, history: StoredHistory): Promise<void>
  /** A new name for an object of a session. */
  nameObject(sessionId: string): string
  putObject(name: string, bytes: Uint8Array): Promise<void>
  /** Undefined when there is no such object, or when it is larger. */
  getObject(name: string, maxBytes: number): Promise<Uint8Array | undefined>
  /** Deletes an object. Names of what is not of the session are ignored. */
  removeObject(sessionId: string, name: string): Promise<void>
}
