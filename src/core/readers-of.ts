import type { ChatRequest } from '../contract/chat.ts'
import { Problem } from '../contract/problems.ts'
import { findModel } from './find-model.ts'
import type { Outside } from './outside.ts'
import { isRouterValue } from './routing/router-value.ts'

/** Who may come to read a request that was written in another format. */
export type Readers = { plain: boolean; providers: string[] }

type Asked = Pick<ChatRequest, 'model' | 'fallbacks'>
type Known = Pick<Outside, 'config' | 'catalog'>

/** `plain`: one of them may speak the plain chat wire. Of names that do not exist the route has its own word. */
export function readersOf({ model, fallbacks }: Asked, outside: Known): Readers {
  const providers = [model, ...(fallbacks ?? [])].map((id) => providerOf(id, outside))
  return {
    plain: providers.some((provider) => !provider || provider.dialect === 'openai'),
    providers: providers.flatMap((provider) => (provider ? [provider.id] : [])),
  }
}

function providerOf(id: string, outside: Known) {
  if (isRouterValue(id)) return undefined
  try {
    return findModel(id, outside).provider
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}
