import type { FastifyRequest } from 'fastify'
import { isRecord, recordOf } from '../../base/schema/record.ts'
import { listedTags } from '../../calls/labels.ts'
import { type OtherWords, otherWords } from '../../calls/routing/other-gateways/other-words.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import type { Note } from '../../translation/dialects/chat-codec.ts'
import { type JsonBody, withEdit } from '../../translation/json/parse-body.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the body said in the words of other gateways. */
    otherWords?: OtherWords | undefined
  }
}

const SOME_TAGS: Note = { field: 'tags', action: 'dropped', reason: 'tags of a call are few and short' }

/** Whether the route is that of a chat, in any format, whose caller may say who answers it. */
export function takesRouting({ access, body }: { access: string; body?: unknown }): boolean {
  const { fallbacks, routing } = recordOf(recordOf(body).properties)
  return access === 'key' && fallbacks !== undefined && routing !== undefined
}

/** Turns the words of other gateways into ours, before the contract checks the body. */
export function readOtherWords(request: FastifyRequest, services: CallServices): void {
  const body = request.body as JsonBody | undefined
  if (!isRecord(body?.value)) return
  // In the Gemini format, the path names the model.
  const pathModel = (request.params as { model?: string }).model
  const words = otherWords({ body: body.value, pathModel, caller: request.caller }, services)
  if (!words) return
  const { isWhole } = listedTags(words.tags, {})
  request.otherWords = isWhole ? words : { ...words, notes: [...words.notes, SOME_TAGS] }
  const { set, drop } = words.edit
  if (drop.size > 0 || Object.keys(set).length > 0) request.body = withEdit(body, words.edit)
}
