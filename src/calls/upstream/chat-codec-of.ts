import type { Provider } from '../../platform/config/provider-settings.ts'
import { problem } from '../../contract/problems.ts'
import type { ChatCodec } from '../../translation/dialects/chat-codec.ts'
import { DIALECTS } from '../../translation/dialects/index.ts'

/** The chat codec of a provider's dialect. */
export function chatCodecOf({ dialect, name }: Provider): ChatCodec {
  if (dialect) return DIALECTS[dialect].chat
  throw problem('unsupported_endpoint', { message: `${name} has no chat models.`, param: 'model' })
}
