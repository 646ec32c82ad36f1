/** How a person logs an agent in, where the error of a run shows that it needs that. */
export const loginAdvice = (
  { title, login }: { title: string; login?: string | undefined },
  errorMessage: string | undefined,
): string | undefined =>
  login !== undefined && errorMessage !== undefined && isLoginProblem(errorMessage, login)
    ? `${title} needs a login. ${login}`
    : undefined

/** Agents over ACP say it by themselves. */
const isLoginProblem = (message: string, login: string): boolean =>
  loginWords.test(message) && !message.includes(login)

const loginWords = /not logged in|\/login\b|log ?in\b|api.?key|unauthori[sz]ed|authenticat|\b401\b/i
