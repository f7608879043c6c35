import { cannotTake } from '../../translation/dialects/cannot-take.ts'
import { namesServers } from '../../translation/formats/gateway/wishes.ts'
import { isRecord } from '../../base/schema/record.ts'
import type { ChatTarget } from '../routing/chat-targets.ts'
import type { AskedChat } from './native-codec.ts'

/**
 * Throws if the provider would ask servers of tools that the caller names. The servers of the gateway are no longer in the request: their
 * tools are functions by now. Other formats do not have the field of messages.
 */
export function refuseForeignServers({ request, native }: AskedChat, { provider }: ChatTarget): void {
  const isTranslated = native?.format === 'messages' && provider.dialect !== 'anthropic'
  const sent = [isTranslated ? undefined : (native?.body ?? request), request.extra_body]
  if (sent.some((fields) => isRecord(fields) && namesServers(fields))) throw cannotTake(['tools'], NOT_ALLOWED)
}

const NOT_ALLOWED = 'the operator of this gateway does not let providers ask MCP servers that callers name'
