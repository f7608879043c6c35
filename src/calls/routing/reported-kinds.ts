import type { Provider } from '../../platform/config/provider-settings.ts'
import { type Fields, recordsIn, textOf } from '../../base/schema/record.ts'

// The OpenAI format of a list of models does not say what they are for. Some servers say it at addresses of their own, which
// stand beside the `/v1` of their base URL.

/** Ollama is asked once for each model. */
const MAX_ASKED = 100

/** Asks the server at a path below its base URL: GET, or POST if there is a body. */
export type AskServer = (path: string, body?: object) => Promise<Fields>

/** Which of the models make embeddings, if the server says so. */
export async function embeddingModels(
  format: Provider['reportsModels'],
  names: readonly string[],
  ask: AskServer,
): Promise<ReadonlySet<string>> {
  if (format === 'ollama') return new Set(await ofOllama(names.slice(0, MAX_ASKED), ask))
  return new Set(format === 'lmstudio' ? await ofLmStudio(ask) : [])
}

async function ofOllama(names: readonly string[], ask: AskServer): Promise<string[]> {
  const shown = await Promise.all(names.map((model) => ask('/../api/show', { model }).catch(() => ({}) as Fields)))
  return names.filter((_, index) => {
    const { capabilities } = shown[index]!
    return Array.isArray(capabilities) && capabilities.includes('embedding')
  })
}

async function ofLmStudio(ask: AskServer): Promise<string[]> {
  const { data } = await ask('/../api/v0/models')
  return recordsIn(data).flatMap(({ id, type }) => (type === 'embeddings' ? [textOf(id)] : []))
}
