// Loaded before a server, in its process: the disk behaves as the file FAULTY_DISK says. `ok`; `low`: almost
// no space is free; `full`: SQLite finds no space; `eio`: flushes fail.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync } from 'node:sqlite'

const mode = () => fs.readFileSync(process.env.FAULTY_DISK, 'utf8').trim()

const { fdatasync } = fs
fs.fdatasync = (file, callback) => {
  if (mode() !== 'eio') return fdatasync(file, callback)
  const error = new Error('EIO: i/o error, fdatasync')
  Object.assign(error, { code: 'EIO', errno: -5, syscall: 'fdatasync' })
  setImmediate(callback, error)
}

const { statfs } = fs.promises
fs.promises.statfs = async (...args) => {
  const found = await statfs(...args)
  return ['low', 'full'].includes(mode()) ? { ...found, bavail: 1, bfree: 1 } : found
}
syncBuiltinESMExports()

const { prepare } = DatabaseSync.prototype
DatabaseSync.prototype.prepare = function (sql) {
  const statement = prepare.call(this, sql)
  if (!sql.startsWith('BEGIN')) return statement
  const run = statement.run.bind(statement)
  statement.run = () => {
    if (mode() !== 'full') return run()
    const error = new Error('database or disk is full')
    throw Object.assign(error, { code: 'ERR_SQLITE_ERROR', errcode: 13 })
  }
  return statement
}
