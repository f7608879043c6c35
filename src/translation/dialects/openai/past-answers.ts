import type { Message } from '../../../contract/chat.ts'
import { digestOf, shortCallId } from '../short-call-id.ts'
import type { Notes } from '../notes.ts'
import { type Fields, isRecord, recordsIn, textOf } from '../../../base/schema/record.ts'
import { UNKNOWN_SIGNATURE } from '../request/unknown-signature.ts'
import type { Compat } from './compat.ts'

// Callers send answers back as they got them, with members that another provider added. Most addresses refuse members that
// they do not know. All functions return undefined if nothing changes.

/** OpenAI refuses longer ids. */
const MAX_ID_CHARS = 40
const SIGNED = 'they are signed for another provider'

/** Members that only some addresses know. Undefined members are not sent. */
export function dropForeignMembers(message: Message & Fields, compat: Compat, changes: Fields, notes: Notes): void {
  if (!compat.ownAnswers)
    for (const name in message) if (message[name] === null && name !== 'content') changes[name] = undefined
  const { annotations, images, refusal, content } = message
  if (annotations != null && !compat.details && !compat.ownAnswers) changes.annotations = undefined
  if (images != null && !compat.details) {
    changes.images = undefined
    notes.dropped('messages.images', 'this provider does not accept images in answers of the model')
  }
  if (textOf(refusal) === '' || compat.ownAnswers || compat.developer) return
  changes.refusal = undefined
  if (!textOf(content) && !Array.isArray(content)) changes.content = refusal
}

/** Calls with members of this address only, and with ids that it accepts. */
export function settleCalls(calls: unknown, isMistral: boolean, compat: Compat, notes: Notes): Fields[] | undefined {
  const before = recordsIn(calls)
  const after = before.map((call) => settleCall(call, isMistral, compat, notes))
  if (compat.signedCalls && after[0] && after[0].extra_content === undefined)
    after[0] = { ...after[0], extra_content: { google: { thought_signature: UNKNOWN_SIGNATURE } } }
  return after.some((call, at) => call !== before[at]) ? after : undefined
}

const CALL_MEMBERS: ReadonlySet<string> = new Set(['id', 'type', 'function', 'custom'])

function settleCall(call: Fields, isMistral: boolean, compat: Compat, notes: Notes): Fields {
  const { signedCalls, ownAnswers } = compat
  const more = signedCalls ? 'extra_content' : ownAnswers ? 'index' : undefined
  const isKnown = (name: string) => CALL_MEMBERS.has(name) || name === more
  const id = textOf(call.id)
  const wireId = callId(id, isMistral)
  if (wireId === id && Object.keys(call).every(isKnown)) return call
  if (isRecord(call.extra_content) && !signedCalls) notes.dropped('messages.tool_calls.extra_content', SIGNED)
  const members = Object.entries(call).filter(([name]) => isKnown(name))
  return { ...Object.fromEntries(members), ...(id && { id: wireId }) }
}

/** The same for a call and for its result. */
export function callId(id: string, isMistral: boolean): string {
  if (isMistral) return id && shortCallId(id)
  return id.length > MAX_ID_CHARS ? `call_${digestOf(id).slice(0, 24)}` : id
}
