import type { Receiver } from '../../platform/config/alerts/alerts.ts'
import { canonicalJson } from '../../translation/json/canonical-json.ts'
import type { Statement } from '../../platform/store/database.ts'
import { insertMessage } from '../../platform/store/deliveries/deliveries.ts'
import { RECEIVER_SCHEME } from '../webhooks/channel.ts'

export type MessageSigner = { keyId: string; sign(body: Uint8Array): Promise<string> }

/** Statements that put a message for each of these receivers into the outbox. It is signed once for all of them. */
export async function messagesTo(
  receivers: readonly Receiver[],
  event: object,
  { signer, newId }: { signer: MessageSigner; newId(): string },
): Promise<Statement[]> {
  if (receivers.length === 0) return []
  const body = bytesOf(event)
  const signed = { body, signature: await signer.sign(body), keyId: signer.keyId }
  return receivers.flatMap(({ name }) => {
    const [id, url] = [newId(), RECEIVER_SCHEME + name]
    return insertMessage({ ...signed, id, jobId: id, url, receiver: name })
  })
}

export function bytesOf(event: object): Uint8Array {
  return new TextEncoder().encode(canonicalJson(event))
}
