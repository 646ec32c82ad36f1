import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { listenerOf } from './lsof.ts'
import { listPids } from './proc.ts'
import { hasProc } from './process-table.ts'

/** The process that listens on a TCP port of this machine; undefined if it is another user’s. */
export const portOwner = (port: number): number | undefined => {
  if (!hasProc) return listenerOf(port)
  const sockets = new Set(
    ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => listeners(file, port)),
  )
  if (sockets.size === 0) return undefined
  return listPids().find((pid) => socketsOf(pid).some((socket) => sockets.has(socket)))
}

/** `TCP_LISTEN` in the kernel’s tables. */
const listening = '0A'

/** The sockets that listen on a port, by inode. */
const listeners = (file: string, port: number): string[] => {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return linesOf(file).flatMap((line) => {
    const [, local, , state, , , , , , inode] = line.trim().split(/\s+/)
    return state === listening && local?.endsWith(suffix) && inode ? [inode] : []
  })
}

/** The sockets that a process has open, by inode. */
export const socketsOf = (pid: number): string[] =>
  namesIn(`/proc/${pid}/fd`).flatMap((name) => {
    const [, inode] = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${name}`)) ?? []
    return inode ?? []
  })

const linesOf = (file: string): string[] => {
  try {
    return readFileSync(file, 'latin1').split('\n')
  } catch {
    return []
  }
}

const namesIn = (directory: string): string[] => {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

const linkOf = (path: string): string => {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
