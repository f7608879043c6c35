import { SECOND_MS } from '../../base/units/units.ts'
import type { BatchWebhook } from '../../contract/batches.ts'
import type { BatchEnding, StoredBatch } from '../../platform/store/batches/batches.ts'
import type { NewDelivery } from '../../platform/store/deliveries/deliveries.ts'
import { signedDelivery } from '../webhooks/prepare-delivery.ts'
import type { Signer } from '../webhooks/signature.ts'
import { batchName } from './batch-ids.ts'

type Signing = { signer: Signer; newId(): string; now(): number }

/** The webhook about the end of a batch, if its owner wants one. It is an event as OpenAI's clients know it. */
export async function announceBatch(
  batch: StoredBatch,
  ending: BatchEnding,
  { now, ...signing }: Signing,
): Promise<NewDelivery | undefined> {
  const { id, webhookUrl: url } = batch
  if (url === null) return undefined
  const at = now()
  const payload: BatchWebhook = {
    id: `evt_${batchName(batch)}`,
    object: 'event',
    type: `batch.${ending}`,
    created_at: Math.floor(at / SECOND_MS),
    timestamp: new Date(at).toISOString(),
    data: { id: batchName(batch) },
  }
  return await signedDelivery({ about: id, url, payload }, signing)
}
