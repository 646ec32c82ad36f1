/**
 * A list that is never changed: a new one shares with the old all but the way to what differs.
 * The last items stand apart from the tree of the others, so that a change near the end, where
 * things are in flight, copies a few references however long the list is.
 */
export interface List<T> {
  readonly length: number
  /** The last items, up to 32. */
  readonly tail: readonly T[]
  /** Levels of branches above the values of the other items. */
  readonly depth: number
  readonly root: Tree<T>
}

type Tree<T> = { readonly values: readonly T[] } | { readonly branches: readonly Tree<T>[] }

const bits = 5
const width = 1 << bits

/** A list of the given items. */
export const listOf = <T>(items: readonly T[] = []): List<T> => {
  const start = tailStart(items.length)
  let level: Tree<T>[] = chunks(items.slice(0, start)).map((values) => ({ values }))
  let depth = 0
  while (level.length > 1) {
    level = chunks(level).map((branches) => ({ branches }))
    depth += 1
  }
  const root = level[0] ?? { values: [] }
  return { length: items.length, tail: items.slice(start), depth, root }
}

/** The item at a place. */
export const at = <T>(list: List<T>, index: number): T | undefined => {
  if (index < 0 || index >= list.length) return undefined
  return valuesAt(list, index)[slot(index, 0)]
}

/** A list with one item replaced, or added if the place is just behind the last. */
export const set = <T>(list: List<T>, index: number, item: T): List<T> => {
  if (index < 0 || index > list.length) throw new RangeError(`no place ${index} in a list`)
  if (index === list.length) return push(list, item)
  const values = replaced(valuesAt(list, index), slot(index, 0), item)
  if (index >= tailStart(list.length)) return { ...list, tail: values }
  return { ...list, root: graft(list.root, list.depth, index, values) }
}

/** A list with one item more. */
export const push = <T>(list: List<T>, item: T): List<T> => {
  const { length, tail, depth, root } = list
  if (tail.length < width) return { ...list, length: length + 1, tail: [...tail, item] }
  const start = tailStart(length)
  const isFull = start === width ** (depth + 1)
  const grown = isFull ? depth + 1 : depth
  const tree = isFull ? { branches: [root] } : root
  return {
    length: length + 1,
    tail: [item],
    depth: grown,
    root: graft(tree, grown, start, tail),
  }
}

/** All items, as an array. */
export const items = <T>(list: List<T>): T[] => {
  const found: T[] = []
  const visit = (tree: Tree<T>) => {
    if ('values' in tree) found.push(...tree.values)
    else tree.branches.forEach(visit)
  }
  visit(list.root)
  found.push(...list.tail)
  return found
}

/** The place of the last item that is meant, or -1. What is wanted mostly stands near the end. */
export const findLast = <T>(list: List<T>, isMeant: (item: T) => boolean): number => {
  for (let index = list.length - 1; index >= 0; index -= 1) {
    const item = at(list, index)
    if (item !== undefined && isMeant(item)) return index
  }
  return -1
}

/** Where the tail of a list begins. Only an empty list has an empty tail. */
const tailStart = (length: number): number => (length === 0 ? 0 : (length - 1) & -width)

/** The values among which an item is. */
const valuesAt = <T>(list: List<T>, index: number): readonly T[] => {
  if (index >= tailStart(list.length)) return list.tail
  let tree: Tree<T> | undefined = list.root
  for (let depth = list.depth; tree && 'branches' in tree; depth -= 1)
    tree = tree.branches[slot(index, depth)]
  return tree?.values ?? []
}

/** A tree with the values around a place replaced or added. */
const graft = <T>(
  tree: Tree<T> | undefined,
  depth: number,
  index: number,
  values: readonly T[],
): Tree<T> => {
  if (depth === 0) return { values }
  const place = slot(index, depth)
  const branches = tree && 'branches' in tree ? tree.branches : []
  return { branches: replaced(branches, place, graft(branches[place], depth - 1, index, values)) }
}

const replaced = <T>(before: readonly T[], place: number, item: T): T[] => {
  const after = before.slice()
  after[place] = item
  return after
}

/** Which branch, on a level, leads to a place. */
const slot = (index: number, depth: number): number => (index >>> (bits * depth)) & (width - 1)

const chunks = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / width) }, (_, chunk) =>
    all.slice(chunk * width, (chunk + 1) * width),
  )
