import type { Catalog } from '../catalog/catalog.ts'
import type { Config } from '../config/config.ts'
import type { Send, TimeLimits } from '../contract/wire.ts'
import type { EgressDoor } from './egress-door.ts'
import type { FileRoom } from './files.ts'
import type { KeyDesk } from './key-desk.ts'
import type { Keyring } from './keyring.ts'
import type { Ledger } from './ledger.ts'
import type { Metrics } from './metrics.ts'
import type { ResultLinks } from './result-links.ts'

/** Everything the domain needs from beyond itself, assembled once in gateway.ts and handed in. */
export type Outside = {
  now(): number
  newId(): string
  /** Unique, not secret, and cheap: there is one for every request. */
  newRequestId(): string
  send: Send
  limits: TimeLimits
  /** A stream that has been silent this long gets a comment. */
  heartbeatMs: number
  config: Config
  catalog: Catalog
  keyring: Keyring
  keyDesk: KeyDesk
  ledger: Ledger
  files: FileRoom
  links: ResultLinks
  egress: EgressDoor
  /** A job was handed in here: no need to wait for the next look into the queue. */
  wakeWorker(): void
  /** A webhook was put back into the outbox. */
  wakeDeliverer(): void
  webhookPublicKey: string
  metrics: Metrics
  /** Where several processes serve, those of the others are added to our own. */
  readMetrics(own: string): Promise<string>
}
