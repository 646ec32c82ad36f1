/** Whether a version is at least another one. Versions are compared by their first three numbers. */
export const isAtLeast = (version: string, least: string): boolean => {
  const [found, wanted] = [numbersOf(version), numbersOf(least)]
  const at = wanted.findIndex((number, index) => number !== found[index])
  return at === -1 || (found[at] ?? 0) > (wanted[at] ?? 0)
}

const numbersOf = (version: string): number[] =>
  version
    .split(/[^0-9]+/)
    .slice(0, 3)
    .map(Number)
