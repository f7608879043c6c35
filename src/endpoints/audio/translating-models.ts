import type { ModelServices } from '../../calls/routing/names/resolved-model.ts'
import { problem } from '../../contract/problems.ts'
import type { ChatTarget } from '../../calls/routing/chat-targets.ts'

const MAX_NAMED = 5

/** Refuses a model that the catalog knows not to translate. A model that it does not know may be able to, in OpenAI's format. */
export function refuseUnlessTranslating({ id, entry, provider }: ChatTarget, services: ModelServices): true {
  if (provider.dialect === 'openai' && (!entry || entry.translates)) return true
  const able = modelsThatTranslate(services)
  const message = `'${id}' does not translate recordings. These models do: ${able.join(', ')}.`
  throw problem('unsupported_endpoint', { message, param: 'model' })
}

/** Those that can be called here, or else all of them. */
function modelsThatTranslate({ catalog, config }: ModelServices): string[] {
  const able = catalog.list().filter(({ translates }) => translates)
  const here = able.filter(({ provider }) => config.providers[provider]?.configured)
  return (here.length > 0 ? here : able).slice(0, MAX_NAMED).map(({ provider, id }) => `${provider}/${id}`)
}
