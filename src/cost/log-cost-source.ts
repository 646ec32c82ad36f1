import type { Log } from '../log/log.ts'
import type { CostSource } from './cost-report.ts'

/** A cost report from an open log. */
export const costSourceOf = ({
  spending,
  sessions,
  projects,
}: Pick<Log, 'spending' | 'projects'> & {
  sessions: Pick<Log['sessions'], 'get'>
}): CostSource => ({
  spending,
  async sessionNames(ids) {
    const records = await Promise.all(ids.map((id) => sessions.get(id)))
    return new Map(
      records.flatMap((record): [string, string][] => {
        const name = record?.name ?? record?.title
        return record && name !== undefined ? [[record.id, name]] : []
      }),
    )
  },
  projectNames: async () => new Map((await projects.list()).map(({ id, name }) => [id, name])),
})
