// Loaded into a server before everything else: each flush to the disk takes FLUSH_MS longer.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const { fdatasync } = fs
fs.fdatasync = (file, callback) =>
  setTimeout(() => fdatasync(file, callback), Number(process.env.FLUSH_MS))
syncBuiltinESMExports()
