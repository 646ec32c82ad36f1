import { listPids, parentOf } from './proc.ts'

/**
 * The processes below a process, nearest first. Agents start their tools in sessions of their own,
 * where a signal to the agent’s process group does not reach them. Empty where /proc does not exist.
 */
export const descendantsOf = (pid: number): number[] => {
  const children = Map.groupBy(listPids(), parentOf)
  const found = [...(children.get(pid) ?? [])]
  // The list grows while it is read, until the last generation has no children.
  for (const each of found) found.push(...(children.get(each) ?? []))
  return found
}
