import { fieldsOf, listOf, stringOf } from '../../shared/fields.ts'

/** The models in Pi’s list, as `provider/id`: its command line takes them like that too. */
export const namesIn = (answer: unknown): string[] =>
  listOf(fieldsOf(answer).models).flatMap((each) => {
    const { provider, id } = fieldsOf(each)
    return stringOf(provider) && stringOf(id) ? [`${provider}/${id}`] : []
  })

/** What `set_model` wants. Ids may hold slashes themselves, providers hold none. */
export const providerAndId = (model: string) => {
  const slash = model.indexOf('/')
  return slash < 0
    ? { modelId: model }
    : { provider: model.slice(0, slash), modelId: model.slice(slash + 1) }
}

/** The whole name of a model that may be given by its id alone, as its messages tell it. */
export const findName = (asked: string, names: readonly string[]): string | undefined =>
  names.includes(asked) ? asked : names.find((name) => name.endsWith(`/${asked}`))
