import type { FileToAttach } from '../../session/conversation/session.ts'
import { Fault } from '../../shared/fault.ts'
import { readAttachments } from '../read-attachments.ts'
import type { HelpRow } from './command-group.ts'
import { drawLine } from './drawn-text.ts'
import type { Screen } from './screen.ts'

/** The files that go with the next message of a chat. */
export interface ChatFiles {
  /** `/file`: adds a file, lists the files, or removes them; false for another line. */
  run(line: string): Promise<boolean>
  /** The files, which are then sent. */
  take(): FileToAttach[]
  /** Puts files back that were not sent. */
  putBack(files: readonly FileToAttach[]): void
}

/** What completion offers. */
export const fileWords = ['/file', '/file none']

/** What `/help` says about files. */
export const fileHelp: readonly HelpRow[] = [
  ['/file PATH', 'adds a file to the next message; /file none removes all'],
]

export const createChatFiles = (screen: Screen, given: readonly FileToAttach[] = []): ChatFiles => {
  let files = [...given]

  const list = (): void => {
    const names = files.map(({ name }) => drawLine(name, screen.style)).join(', ')
    screen.notice(
      names === ''
        ? 'No files. `/file PATH` adds one to the next message.'
        : `With the next message: ${names}. \`/file none\` removes them.`,
    )
  }

  const add = async (path: string): Promise<void> => {
    try {
      files = [...files, ...(await readAttachments([path]))]
      list()
    } catch (cause) {
      if (!(cause instanceof Fault)) throw cause
      screen.error(cause.message)
    }
  }

  return {
    async run(line) {
      const [, path] = /^\/file(?:\s+(.*))?$/.exec(line.trim()) ?? []
      if (!/^\/file(?:\s|$)/.test(line.trim())) return false
      const name = path?.trim().replace(/^(['"])(.*)\1$/, '$2') ?? ''
      if (name === 'none') files = []
      if (name === '' || name === 'none') list()
      else await add(name)
      return true
    },
    take() {
      const taken = files
      files = []
      return taken
    },
    putBack(unsent) {
      files = [...unsent, ...files]
    },
  }
}
