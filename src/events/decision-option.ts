import { z } from 'zod'

export const decisionKind = z
  .enum(['allow_once', 'allow_always', 'reject_once', 'reject_always', 'stop'])
  .describe(
    'What a choice does. `allow_once`: this request. `allow_always`: this one and later ones, which the agent stores by itself. `reject_once`, `reject_always`: the same for a denial. `stop`: denies the request and stops the run.',
  )

export const decisionOption = z
  .strictObject({
    id: z.string().describe('Id of the choice. An answer names it in `optionId`.'),
    label: z.string().describe('What the choice does, for people.'),
    kind: decisionKind,
    update: z
      .unknown()
      .optional()
      .describe(
        'What the agent would change for later requests, in its own format, if that is known.',
      ),
  })
  .describe('A choice that the agent offers for the answer to an approval request.')
