import { z } from 'zod'

/** `GET directories`: where one can go from a directory, to choose a project’s. */
export const directoryQuery = z.strictObject({
  path: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('A directory under an allowed root; without it, the roots are listed.'),
})

/** A directory that can be chosen. */
export const directory = z.object({ name: z.string(), path: z.string() })

/** A directory and those inside of it. */
export const directoryList = z.object({
  path: z.string().optional().describe('The directory, with links resolved; absent at the top.'),
  parent: z.string().optional().describe('The directory above, if it is allowed too.'),
  directories: z.array(directory).describe('By name; those that begin with a dot are left out.'),
  truncated: z.literal(true).optional().describe('There are more than are listed.'),
})
