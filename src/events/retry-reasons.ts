/** Why a model call failed, in one word for all agents, and what it means for people. */
export const retryReasons = {
  rate_limit: 'The rate limit is reached.',
  overloaded: 'The model is overloaded.',
  server_error: 'The model provider has an error.',
  network: 'The connection to the model provider failed.',
  timeout: 'The model provider did not respond in time.',
  authentication: 'The model provider refused the credentials.',
  permission: 'The account may not use this model.',
  billing: 'The account has no credit left.',
  not_found: 'The model does not exist.',
  invalid_request: 'The model provider refused the request.',
  unknown: 'The model call failed.',
} as const

export type RetryReason = keyof typeof retryReasons

/** The reason of a retry as a sentence; the agent’s own words if there is none for it. */
export const retryText = (retry: { reason: string; rawReason?: string | undefined }): string => {
  const { reason, rawReason } = retry
  if (reason === 'unknown' && rawReason !== undefined) return rawReason
  return isRetryReason(reason) ? retryReasons[reason] : (rawReason ?? reason)
}

const isRetryReason = (word: string): word is RetryReason => Object.hasOwn(retryReasons, word)
