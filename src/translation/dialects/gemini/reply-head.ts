import { type Fields, textOf } from '../../../base/schema/record.ts'

/** The fields that all chunks of a reply share. The gateway, which has a clock, sets those that Google did not send. */
export type ReplyHead = { id?: string; created?: number; model: string }

const MAX_ID_CHARS = 40

export function headOf({ responseId, createTime, modelVersion }: Fields): ReplyHead {
  const id = textOf(responseId)
  const milliseconds = typeof createTime === 'string' ? Date.parse(createTime) : Number.NaN
  return {
    ...(id && { id }),
    ...(Number.isFinite(milliseconds) && { created: Math.floor(milliseconds / 1000) }),
    model: textOf(modelVersion),
  }
}

/** The id of an audio answer. */
export function audioIdOf({ responseId }: Fields, candidate: number): string {
  return `audio_${textOf(responseId) || 'reply'}_${candidate}`
}

/**
 * Ids for calls without one: stable for the same reply, and different for other replies as far as the reply has an id. They
 * use only characters that every provider accepts, because another provider may continue the conversation.
 */
export function callIds({ responseId, createTime }: Fields, candidate: number) {
  const reply = textOf(responseId) || textOf(createTime)
  return (name: string, at: number): string => {
    const origin = (reply || name).replace(/[^a-zA-Z0-9_-]/g, '').slice(0, MAX_ID_CHARS)
    return candidate === 0 ? `call_${origin}_${at}` : `call_${origin}_${candidate}_${at}`
  }
}
