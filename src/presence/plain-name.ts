/** Whether an id of an agent can be a part of a file name: the path stays in its directory. */
export const isPlainName = (id: string): boolean => /^[\w-]{1,128}$/.test(id)
