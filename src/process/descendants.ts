import { readdirSync, readFileSync } from 'node:fs'

/**
 * Processes below a process, nearest first. Agents start their tools in sessions of their own,
 * where a signal to the agent’s group does not reach them. Empty where /proc does not exist.
 */
export const descendantsOf = (pid: number): number[] => {
  const children = new Map<number, number[]>()
  for (const [child, parent] of processes()) {
    const known = children.get(parent)
    if (known) known.push(child)
    else children.set(parent, [child])
  }
  const found: number[] = []
  const waiting = [pid]
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const below = children.get(next) ?? []
    found.push(...below)
    waiting.push(...below)
  }
  return found
}

const processes = function* (): Generator<[pid: number, parent: number]> {
  let names: string[]
  try {
    names = readdirSync('/proc')
  } catch {
    return
  }
  for (const name of names) {
    if (!/^\d+$/.test(name)) continue
    const parent = parentOf(name)
    if (parent !== undefined) yield [Number(name), parent]
  }
}

/** The parent of a process: the fourth field of stat; the second, in brackets, may hold anything. */
export const parentOf = (name: string): number | undefined => {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}
