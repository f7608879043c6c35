import type { MessagesRequest } from '../../../contract/messages.ts'

/**
 * The names of the models to try when one fails. Clients of Anthropic have a field with the name of ours, with objects or the word
 * `default` in it. `calls/routing/other-gateways/` has turned what they write into names, and noted what else was in it.
 */
export function fallbackNames({ fallbacks }: Pick<MessagesRequest, 'fallbacks'>): string[] | undefined {
  if (fallbacks == null || fallbacks === 'default') return undefined
  return fallbacks.map((fallback) => (typeof fallback === 'string' ? fallback : fallback.model))
}
