/** The lower of two numbers, of which each may be absent. */
export const lowerOf = (left: number | undefined, right: number | undefined): number | undefined =>
  left === undefined || right === undefined ? (left ?? right) : Math.min(left, right)
