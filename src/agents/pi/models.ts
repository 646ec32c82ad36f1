import { fieldsOf, listOf, stringOf } from '../../shared/fields.ts'

/** The models in Pi’s list as `provider/id`, which Pi’s command line accepts too. */
export const namesIn = (response: unknown): string[] =>
  listOf(fieldsOf(response).models).flatMap((each) => {
    const { provider, id } = fieldsOf(each)
    return stringOf(provider) && stringOf(id) ? [`${provider}/${id}`] : []
  })

/** The fields of `set_model`. Ids may contain slashes, providers do not. */
export const providerAndId = (model: string) => {
  const slash = model.indexOf('/')
  return slash < 0
    ? { modelId: model }
    : { provider: model.slice(0, slash), modelId: model.slice(slash + 1) }
}

/** The full name of a model. A person may give its id alone, as messages name it. */
export const findName = (name: string, names: readonly string[]): string | undefined =>
  names.includes(name) ? name : names.find((each) => each.endsWith(`/${name}`))
