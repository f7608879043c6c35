import { CONVERSATION_ID } from '../../base/schema/patterns.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { mapOf, nullable, optional } from '../../base/schema/fields.ts'
import { ResponseItem } from '../responses.ts'

/** As many as OpenAI accepts in one request. */
const MAX_NEW_ITEMS = 20

const texts = mapOf(Type.String({ maxLength: 512 }))
const METADATA = 'Your own metadata: up to 16 texts of up to 512 characters, with names of up to 64.'
const newItems = { maxItems: MAX_NEW_ITEMS, description: `Items to add, up to ${MAX_NEW_ITEMS} at a time.` }

export const ConversationRequest = Type.Object(
  {
    items: optional(Type.Array(ResponseItem, { maxItems: MAX_NEW_ITEMS }), newItems.description),
    metadata: optional(texts, METADATA),
  },
  { title: 'ConversationRequest', description: 'A new conversation.' },
)
export type ConversationRequest = Static<typeof ConversationRequest>

export const ChangeConversationRequest = Type.Object(
  { metadata: nullable(texts, METADATA) },
  { title: 'ChangeConversationRequest', description: 'Replaces the metadata of a conversation.' },
)
export type ChangeConversationRequest = Static<typeof ChangeConversationRequest>

export const ConversationItemsRequest = Type.Object(
  { items: Type.Array(ResponseItem, { minItems: 1, ...newItems }) },
  { title: 'ConversationItemsRequest', description: 'Items that are added to a conversation.' },
)
export type ConversationItemsRequest = Static<typeof ConversationItemsRequest>

export const Conversation = Type.Object(
  {
    id: Type.String({ pattern: CONVERSATION_ID, description: 'Identifies the conversation.' }),
    object: Type.Literal('conversation'),
    created_at: Type.Integer({ description: 'The time, in seconds since 1970.' }),
    metadata: mapOf(Type.String(), { description: 'Your own metadata.' }),
  },
  { title: 'Conversation', description: 'A conversation, without its items.' },
)
export type Conversation = Static<typeof Conversation>

export const DeletedConversation = Type.Object(
  {
    id: Type.String({ pattern: CONVERSATION_ID, description: 'The id of the deleted conversation.' }),
    object: Type.Literal('conversation.deleted'),
    deleted: Type.Boolean({ description: 'Always true: an unknown conversation gets a 404.' }),
  },
  { title: 'DeletedConversation', description: 'The confirmation of a deletion.' },
)
