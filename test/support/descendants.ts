import { processTable } from '../../src/process/process-table.ts'

/** The processes below a process, nearest first. */
export const descendantsOf = (pid: number): number[] => {
  const children = Map.groupBy(processTable.rows(), ({ parent }) => parent)
  const found = [...(children.get(pid) ?? [])]
  // The list grows while it is read, until the last generation has no children.
  for (const each of found) found.push(...(children.get(each.pid) ?? []))
  return found.map((each) => each.pid)
}
