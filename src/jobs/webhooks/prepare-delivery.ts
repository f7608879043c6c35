import type { NewDelivery } from '../../platform/store/deliveries/deliveries.ts'
import { canonicalJson } from '../../translation/json/canonical-json.ts'
import { type FinishedJob, payloadOf } from './payload.ts'
import type { Signer } from './signature.ts'

export type Announced = { job: FinishedJob; url: string }

type Signing = { signer: Signer; newId(): string }

/**
 * Creates the webhook of a finished job and signs it once for all attempts. Throws NotJson if the payload has no canonical
 * form.
 */
export async function prepareDelivery({ job, url }: Announced, signing: Signing): Promise<NewDelivery> {
  return await signedDelivery({ about: job.id, url, payload: payloadOf(job) }, signing)
}

/** A webhook about what has this id. */
export async function signedDelivery(
  { about, url, payload }: { about: string; url: string; payload: object },
  { signer, newId }: Signing,
): Promise<NewDelivery> {
  const body = new TextEncoder().encode(canonicalJson(payload))
  const signature = await signer.sign(body)
  return { id: newId(), jobId: about, url, receiver: new URL(url).host, body, signature, keyId: signer.keyId }
}
