import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openControlSocket, requestTicket } from '../../src/http/control-socket.ts'
import { temporaryDirectory } from '../log/samples.ts'

const open = async (directory: string) => {
  let tickets = 0
  const socket = await openControlSocket(directory, () => `ticket ${++tickets}`)
  onTestFinished(() => socket.close())
  return socket
}

test('each connection gets a ticket, until the socket is closed', async () => {
  const directory = temporaryDirectory('socket')
  const socket = await open(directory)
  expect(await requestTicket(directory)).toBe('ticket 1')
  expect(await requestTicket(directory)).toBe('ticket 2')
  socket.close()
  expect(existsSync(join(directory, 'control.sock'))).toBe(false)
  await expect(requestTicket(directory)).rejects.toMatchObject({ code: 'ENOENT' })
})

test('what a crash left behind is replaced, and a link is never followed', async () => {
  const directory = temporaryDirectory('socket')
  const target = join(directory, 'target')
  writeFileSync(target, 'untouched')
  symlinkSync(target, join(directory, 'control.sock'))
  await open(directory)
  expect(await requestTicket(directory)).toBe('ticket 1')
  expect(readFileSync(target, 'utf8')).toBe('untouched')
})

test('a directory with a long path has its socket, too', async () => {
  const directory = join(temporaryDirectory('socket'), 'a'.repeat(120))
  mkdirSync(directory, { mode: 0o700 })
  const { path } = await open(directory)
  expect(await requestTicket(directory, path)).toBe('ticket 1')
  expect(existsSync(path ?? join(directory, 'control.sock'))).toBe(true)
})
