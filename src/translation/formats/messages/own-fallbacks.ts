import type { MessagesRequest } from '../../../contract/messages.ts'
import type { Notes } from '../../dialects/notes.ts'

// Clients of Anthropic have a field with the name of ours: an object for each model, which may set other fields for it, or
// the word `default`, with which Anthropic chooses. It never reaches a provider, whose models no scope and no budget would know.

type Written = Pick<MessagesRequest, 'fallbacks'>

/** The names of the models to try when one fails. */
export function fallbackNames({ fallbacks }: Written): string[] | undefined {
  if (fallbacks == null || fallbacks === 'default') return undefined
  return fallbacks.map((fallback) => (typeof fallback === 'string' ? fallback : fallback.model))
}

export function noteFallbacks({ fallbacks }: Written, notes: Notes): void {
  if (fallbacks === 'default') notes.dropped('fallbacks', 'only models that the request or an alias names are tried')
  else
    for (const fallback of fallbacks ?? [])
      for (const name of typeof fallback === 'string' ? [] : Object.keys(fallback))
        if (name !== 'model') notes.dropped(`fallbacks.${name}`, 'a fallback gets the fields of the request')
}
