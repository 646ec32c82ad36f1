import { join } from 'node:path'

/** The extension that makes Pi ask; beside this file’s folder, built or not. */
export const gateFile = join(import.meta.dirname, '..', 'agents', 'pi', 'gate.js')
