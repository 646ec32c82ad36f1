import { z } from 'zod'

export const directoryQuery = z
  .strictObject({
    path: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe('A directory under an allowed root. If absent, the roots are listed.'),
  })
  .describe('Query of `GET directories`.')

export const directory = z
  .object({
    name: z.string().describe('Name of the directory.'),
    path: z.string().describe('Absolute path of the directory.'),
  })
  .describe('A directory that can become a project.')

export const directoryList = z
  .object({
    path: z
      .string()
      .optional()
      .describe('The listed directory, with links resolved. Absent for the list of roots.'),
    parent: z
      .string()
      .optional()
      .describe('The parent directory. Absent if it is outside the allowed roots.'),
    directories: z
      .array(directory)
      .describe('Directories by name. Names that start with a dot are left out.'),
    truncated: z
      .literal(true)
      .optional()
      .describe('Present if there are more directories than listed.'),
  })
  .describe('Response of `GET directories`.')
