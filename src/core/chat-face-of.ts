import type { Provider } from '../config/provider-settings.ts'
import { problem } from '../contract/problems.ts'
import type { ChatFace } from '../dialects/dialect.ts'
import { DIALECTS } from '../dialects/index.ts'

/** How a provider's chat models are spoken to. */
export function chatFaceOf({ dialect, name }: Provider): ChatFace {
  if (dialect) return DIALECTS[dialect].chat
  throw problem('unsupported_endpoint', { message: `${name} has no chat models.`, param: 'model' })
}
