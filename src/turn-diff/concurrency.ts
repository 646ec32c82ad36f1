/** Does the same to all, some at a time; the answers are in order. */
export const inBatches = async <Item, Answer>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<Answer>,
): Promise<Answer[]> => {
  const answers: Answer[] = []
  for (let start = 0; start < items.length; start += size)
    answers.push(...(await Promise.all(items.slice(start, start + size).map(work))))
  return answers
}
