import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'

/** A program on a screen of tmux. */
export interface TmuxScreen {
  /** What the screen shows. */
  text(): string
  /** Types a line. */
  type(text: string): void
  key(name: string): void
  /** Waits until the screen shows a text. */
  shows(text: string | RegExp): Promise<void>
  close(): void
}

export interface TmuxOptions {
  /** A directory for the socket of tmux. */
  home: string
  cwd: string
  env: Record<string, string>
  command: readonly string[]
}

/** Why no program can run on a screen here; undefined if one can. */
export const whyNoTmux = (): string | undefined =>
  spawnSync('tmux', ['-V']).error ? 'tmux is not installed' : undefined

export const openTmuxScreen = ({ home, cwd, env, command }: TmuxOptions): TmuxScreen => {
  const socket = join(home, 'tmux.sock')
  const tmux = (...words: string[]): string =>
    execFileSync('tmux', ['-S', socket, ...words], { env, encoding: 'utf8' })
  tmux('new-session', '-d', '-s', 't', '-x', '120', '-y', '50', '-c', cwd, ...command)
  const text = () => tmux('capture-pane', '-p', '-t', 't')
  return {
    text,
    async shows(wanted) {
      await eventually(() => {
        const found = text()
        if (typeof wanted === 'string' ? found.includes(wanted) : wanted.test(found)) return
        throw new Error(`not on the screen: ${wanted}\n${found}`)
      })
    },
    type(line) {
      tmux('send-keys', '-t', 't', '-l', line)
      tmux('send-keys', '-t', 't', 'Enter')
    },
    key: (name) => void tmux('send-keys', '-t', 't', name),
    close: () => void spawnSync('tmux', ['-S', socket, 'kill-server'], { env }),
  }
}
