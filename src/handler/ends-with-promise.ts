/** True when the last line that is not empty is the promise, and nothing else. */
export const endsWithPromise = (text: string, promise: string): boolean =>
  text
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => line !== '') === promise
