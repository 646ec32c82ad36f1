import type { Log } from '../log/log.ts'

/** What both logs store about a move: so that it can be continued, and nobody serves half of a log. */
export interface MoveMark {
  id: string
  role: 'source' | 'target'
  from: string
  to: string
  /** In ms since 1970. */
  startedAt: number
  /** When everything was compared, in ms since 1970. Only in the target. */
  doneAt?: number
}

/** The id of the setting with the mark. It is not moved itself. */
export const markId = 'move'

export const writeMark = ({ settings }: Pick<Log, 'settings'>, mark: MoveMark): Promise<void> =>
  settings.put({ id: markId, value: JSON.stringify(mark) })

export const readMark = async ({
  settings,
}: Pick<Log, 'settings'>): Promise<MoveMark | undefined> => {
  const record = await settings.get(markId)
  return record && JSON.parse(record.value)
}

/** Whether a log is the target of a move that is not complete: it must not be served. */
export const isHalfMoved = async (log: Pick<Log, 'settings'>): Promise<boolean> => {
  const mark = await readMark(log)
  return mark?.role === 'target' && mark.doneAt === undefined
}
