import { createHmac } from 'node:crypto'
import type { ChatAttempt } from '../routing/chat-targets.ts'
import type { AskedChat } from './native-codec.ts'

/** As many characters as providers accept, and far more than are needed to tell sessions apart. */
const KEY_CHARS = 43

/**
 * Providers that take a `prompt_cache_key` answer all requests with the same key where the prompt is cached. For a session it is made
 * here, unless the caller sends one. All callers share the account at the provider, so it depends on the owner too, and no provider can
 * read the session from it. Undefined if none is sent.
 */
export function sessionCacheKey(
  { request, native }: AskedChat,
  { target, call, services }: ChatAttempt,
): string | undefined {
  const { session } = call.record.labels
  if (session === null || !target.provider.cacheKeys) return undefined
  if ((request as { prompt_cache_key?: unknown }).prompt_cache_key != null) return undefined
  if (native?.body.prompt_cache_key != null || request.extra_body?.prompt_cache_key != null) return undefined
  const secret = services.links.secret.current
  if (secret === undefined) return undefined
  const text = JSON.stringify(['prompt-cache', call.caller.owner, session])
  return createHmac('sha256', secret).update(text).digest('base64url').slice(0, KEY_CHARS)
}
