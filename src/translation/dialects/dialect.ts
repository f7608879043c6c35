import type { ChatCodec } from './chat-codec.ts'
import type { ImageCodec } from './image-codec.ts'

export type Dialect = { chat: ChatCodec; images?: ImageCodec }
