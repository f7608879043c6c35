import type { ChatRequest } from '../contract/chat.ts'
import { Problem } from '../contract/problems.ts'
import { findModel } from './find-model.ts'
import type { AppContext } from '../app/context.ts'
import { isRouterValue } from './router/router-value.ts'

/** Which dialects may receive a request that came in another format. */
export type TargetFormats = { plain: boolean; providers: string[]; dialects: string[] }

type RequestView = Pick<ChatRequest, 'model' | 'fallbacks'>
type Known = Pick<AppContext, 'config' | 'catalog'>

/** `plain`: one of the targets may use a chat dialect. Names that do not exist are skipped, because routing reports them. */
export function targetFormatsOf({ model, fallbacks }: RequestView, context: Known): TargetFormats {
  const providers = [model, ...(fallbacks ?? [])].map((id) => providerOf(id, context))
  return {
    plain: providers.some((provider) => !provider || provider.dialect === 'openai'),
    providers: providers.flatMap((provider) => (provider ? [provider.id] : [])),
    dialects: providers.flatMap((provider) => provider?.dialect ?? []),
  }
}

function providerOf(id: string, context: Known) {
  if (isRouterValue(id)) return undefined
  try {
    return findModel(id, context).provider
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}
