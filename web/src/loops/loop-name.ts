import type { LoopInfo } from '../../../src/events/index.ts'

/** What a loop is called: its name, or the beginning of its prompt, or its file. */
export const loopName = ({ name, prompt, promptFile }: LoopInfo): string => {
  if (name !== undefined) return name
  const [line = ''] = (prompt ?? '').trim().split('\n', 1)
  if (line !== '') return line.length > 80 ? `${line.slice(0, 79)}…` : line
  return promptFile?.split('/').at(-1) ?? 'Loop'
}
