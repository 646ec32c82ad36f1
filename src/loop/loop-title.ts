import type { LoopInfo } from '../events/types.ts'
import { shortened } from '../shared/shortened.ts'

/** What people call a loop: its name, its file, or the beginning of its prompt. */
export const loopTitle = ({
  name,
  promptFile,
  prompt = '',
}: Pick<LoopInfo, 'name' | 'promptFile' | 'prompt'>): string =>
  name ?? promptFile?.split('/').at(-1) ?? shortened(firstLine(prompt), 60)

const firstLine = (text: string): string => text.trim().split('\n', 1)[0] ?? ''
