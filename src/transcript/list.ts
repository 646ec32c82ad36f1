/**
 * An immutable list: a new version shares its structure with the old one. The last items are kept
 * outside the tree of the others, so a change near the end, where entries are still streaming,
 * copies a few references however long the list is.
 */
export interface List<T> {
  readonly length: number
  /** The last items, up to 32. */
  readonly tail: readonly T[]
  /** The number of branch levels above the leaves of `root`. */
  readonly depth: number
  /** All items before the tail. */
  readonly root: Tree<T>
}

type Tree<T> = { readonly values: readonly T[] } | { readonly branches: readonly Tree<T>[] }

const bits = 5
const width = 1 << bits

/** A list of the given items. */
export const createList = <T>(items: readonly T[] = []): List<T> => {
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

/** The item at an index; undefined outside the list. */
export const itemAt = <T>(list: List<T>, index: number): T | undefined => {
  if (index < 0 || index >= list.length) return undefined
  return leafAt(list, index)[slot(index, 0)]
}

/** A list with the item at an index replaced, or appended if the index is the length. */
export const setItem = <T>(list: List<T>, index: number, item: T): List<T> => {
  if (index < 0 || index > list.length) throw new RangeError(`index ${index} is outside the list`)
  if (index === list.length) return pushItem(list, item)
  const values = replaced(leafAt(list, index), slot(index, 0), item)
  if (index >= tailStart(list.length)) return { ...list, tail: values }
  return { ...list, root: putLeaf(list.root, list.depth, index, values) }
}

/** A list with an item appended. */
export const pushItem = <T>(list: List<T>, item: T): List<T> => {
  const { length, tail, depth, root } = list
  if (tail.length < width) return { ...list, length: length + 1, tail: [...tail, item] }
  const start = tailStart(length)
  const isFull = start === width ** (depth + 1)
  const newDepth = isFull ? depth + 1 : depth
  const tree = isFull ? { branches: [root] } : root
  return {
    length: length + 1,
    tail: [item],
    depth: newDepth,
    root: putLeaf(tree, newDepth, start, tail),
  }
}

/** All items, as an array. */
export const listItems = <T>(list: List<T>): T[] => {
  const found: T[] = []
  const visit = (tree: Tree<T>) => {
    if ('values' in tree) found.push(...tree.values)
    else tree.branches.forEach(visit)
  }
  visit(list.root)
  found.push(...list.tail)
  return found
}

/** The index of the last item that matches, or -1. Searches from the end. */
export const findLastIndex = <T>(list: List<T>, matches: (item: T) => boolean): number => {
  for (let index = list.length - 1; index >= 0; index -= 1) {
    const item = itemAt(list, index)
    if (item !== undefined && matches(item)) return index
  }
  return -1
}

/** The index at which the tail begins. Only an empty list has an empty tail. */
const tailStart = (length: number): number => (length === 0 ? 0 : (length - 1) & -width)

/** The up to 32 values that include the item at an index. */
const leafAt = <T>(list: List<T>, index: number): readonly T[] => {
  if (index >= tailStart(list.length)) return list.tail
  let tree: Tree<T> | undefined = list.root
  for (let depth = list.depth; tree && 'branches' in tree; depth -= 1)
    tree = tree.branches[slot(index, depth)]
  return tree?.values ?? []
}

/** A tree with the leaf at an index replaced or added. */
const putLeaf = <T>(
  tree: Tree<T> | undefined,
  depth: number,
  index: number,
  values: readonly T[],
): Tree<T> => {
  if (depth === 0) return { values }
  const branch = slot(index, depth)
  const branches = tree && 'branches' in tree ? tree.branches : []
  return {
    branches: replaced(branches, branch, putLeaf(branches[branch], depth - 1, index, values)),
  }
}

const replaced = <T>(before: readonly T[], index: number, item: T): T[] => {
  const after = before.slice()
  after[index] = item
  return after
}

/** Which branch of a level leads to an index. */
const slot = (index: number, depth: number): number => (index >>> (bits * depth)) & (width - 1)

const chunks = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / width) }, (_, chunk) =>
    all.slice(chunk * width, (chunk + 1) * width),
  )
