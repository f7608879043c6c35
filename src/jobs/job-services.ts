import type { CallServices } from '../calls/services/call-services.ts'
import type { Ground } from '../platform/ground.ts'
import type { Opened } from '../platform/late.ts'
import type { SendTest } from './webhooks/test-delivery.ts'
import type { WebhookKeyPair } from './webhooks/webhook-keys.ts'

/** What submitting, reading, cancelling and running jobs needs beyond a call. */
export type JobServices = Ground & {
  calls: CallServices
  /** Jobs of one owner that may wait at once, with responses in the background. */
  maxWaitingJobs: number
  /** The worker and the deliverer of this process; undefined if the work is left to other processes. */
  background: Opened<Background>
  /** The keys that sign webhooks. They are in the store. */
  webhookKeys: Opened<WebhookKeyPair>
  /** Sends a webhook that tests an address. It needs the keys. */
  sendTest: Opened<SendTest>
}

/** What is told to those who work without a caller, so that they do not wait for their next look at the queue. */
type Background = {
  /** A job was submitted. */
  wakeWorker(): void
  /** The owner of a job wants it to stop. */
  stopJob(id: string): void
  /** A batch was submitted; or the owner of this one has cancelled it. */
  wakeBatches(cancelled?: string): void
  /** A webhook is due again. */
  wakeDeliverer(): void
}
