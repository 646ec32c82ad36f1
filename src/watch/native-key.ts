import { createHash } from 'node:crypto'
import type { NativeSession } from './watched-sessions.ts'

type NativeId = Pick<NativeSession, 'agent' | 'nativeId'>

/** Whether an id can be one of an agent: it is short, and as a name it leads to no other directory. */
export const isNativeId = (id: string): boolean => /^[\w.:-]{1,200}$/.test(id) && !/^\.+$/.test(id)

/** One string for an agent’s session. */
export const nativeKeyOf = ({ agent, nativeId }: NativeId): string => `${agent}\n${nativeId}`

/**
 * The id of a watched session. It follows from the agent’s own id, so that a session which is found
 * twice, by whichever way and after any crash, is created once.
 */
export const watchedIdOf = (native: NativeId): string => {
  const hex = createHash('sha256')
    .update(`watched\n${nativeKeyOf(native)}`)
    .digest('hex')
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) % 4]
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
