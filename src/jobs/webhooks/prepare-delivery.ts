import type { NewDelivery } from '../../platform/store/deliveries/deliveries.ts'
import { canonicalJson } from '../../translation/json/canonical-json.ts'
import { type FinishedJob, payloadOf } from './payload.ts'
import type { Signer } from './signature.ts'

export type Announced = { job: FinishedJob; url: string }

/**
 * Creates the webhook of a finished job and signs it once for all attempts. Throws NotJson if the payload has no canonical
 * form.
 */
export async function prepareDelivery(
  { job, url }: Announced,
  { signer, newId }: { signer: Signer; newId(): string },
): Promise<NewDelivery> {
  const body = new TextEncoder().encode(canonicalJson(payloadOf(job)))
  const signature = await signer.sign(body)
  return { id: newId(), jobId: job.id, url, receiver: new URL(url).host, body, signature, keyId: signer.keyId }
}
