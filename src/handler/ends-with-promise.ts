/** True if the last non-empty line of a text is the promise and nothing else. */
export const endsWithPromise = (text: string, promise: string): boolean =>
  text
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => line !== '') === promise
