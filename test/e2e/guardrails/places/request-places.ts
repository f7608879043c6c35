import { chatPlaces } from './chat-places.ts'
import { messagesPlaces } from './messages-places.ts'
import { responsesPlaces } from './responses-places.ts'
import { geminiPlaces } from './gemini-places.ts'
import { coherePlaces } from './cohere-places.ts'
import type { Places } from './place.ts'

/** By the format of the client. */
export const REQUEST_PLACES: Readonly<Record<string, Places>> = {
  chat: chatPlaces(),
  messages: messagesPlaces(),
  responses: responsesPlaces(),
  gemini: geminiPlaces(),
  cohere: coherePlaces(),
}
