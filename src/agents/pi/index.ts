import type { Agent } from '../agent.ts'
import { piCommand } from './command.ts'
import { createPiDecoder } from './decode.ts'
import { createPiShortcut } from './shortcut.ts'

/** The Pi coding agent. */
export const pi: Agent = {
  name: 'pi',
  title: 'Pi',
  program: 'pi',
  programVariable: 'PI_BIN',
  command: piCommand,
  createDecoder: createPiDecoder,
  createShortcut: createPiShortcut,
}
