import { shippedFile } from '../shipped-file.ts'

/** The extension that makes Pi request an approval before it runs a tool. */
export const gateFile = shippedFile('pi/gate.js')
