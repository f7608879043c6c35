import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from '../../platform/store/database.ts'
import {
  listProcesses,
  readLearned,
  recordBeat,
  removeProcess,
  removeSilent,
  type StoredProcess,
} from '../../platform/store/installation/processes.ts'
import { versionOfSecret } from '../../platform/store/installation/secrets.ts'
import { WEBHOOK_KEY, type WebhookKeys } from '../../jobs/webhooks/webhook-keys.ts'
import { areApart, refuseOtherBlobs } from './blob-check.ts'
import type { Learner } from './learned.ts'
import { Peers } from './peers.ts'

// This process among the others on the same store: it says that it is alive and what it has learned about providers, and
// listens to the others. All of this is best effort: without the store, each process works with what it knows.

const LOOK_MS = 1_500
/** Without news, only every third look writes, so that an idle gateway leaves the disk alone. */
const LOOKS_PER_BEAT = 3
/** A difference between processes is normal for a moment, while one has already changed. */
const LOOKS_UNTIL_WARNING = 3
const LEAVE_MS = 2_000

type Needs = {
  db: Database
  log: Pick<Logger, 'info' | 'warn' | 'error' | 'debug'>
  process: { id: string; role: string; blobs: string }
  webhookKeys: WebhookKeys
  learner: Pick<Learner, 'text' | 'learn' | 'forget'>
  /** Ledger lines of this process that the store does not have yet. */
  ledgerWaiting(): number
  /** Reads what others have changed in the store. */
  refreshAliases(): Promise<void>
  refreshLimits(): Promise<void>
  refreshGuardrails(): Promise<void>
  /** How long a store that does not answer may hold up the end of the process. */
  leaveMs?: number
  /** Measures the silence of others. */
  clock?: () => number
}

export class Replica {
  readonly #needs: Needs
  readonly #peers: Peers
  readonly #stopping = new AbortController()
  /** The number of what each process had learned when we read it last. */
  readonly #heard = new Map<string, number>()
  readonly #differences = new Map<string, number>()
  #told = ''
  #toldNumber = 0
  #looks = 0
  /** The version of the webhook key that could not be read, so that the log has it once. */
  #unreadable: number | undefined
  #running: Promise<void> | undefined

  private constructor(needs: Needs) {
    this.#needs = needs
    this.#peers = new Peers(needs.process.id, needs.clock)
  }

  /** Throws ConfigError if this process must not run beside the others. */
  static async join(needs: Needs): Promise<Replica> {
    const replica = new Replica(needs)
    const { db, process } = needs
    await replica.#beat()
    try {
      await refuseOtherBlobs({ db, own: process, peers: replica.#peers, beat: () => replica.#beat() })
    } catch (error) {
      await removeProcess(db, process.id).catch(() => undefined)
      throw error
    }
    return replica
  }

  /** The other processes that are alive. */
  get peers(): readonly StoredProcess[] {
    return this.#peers.live
  }

  start(): void {
    this.#running = this.#run()
  }

  /** If the store does not answer for a while, the others notice the silence of this process. */
  async close(): Promise<void> {
    this.#stopping.abort()
    const { leaveMs = LEAVE_MS } = this.#needs
    await Promise.race([this.#leave(), sleep(leaveMs, undefined, { ref: false })])
  }

  async #leave(): Promise<void> {
    await this.#running
    await removeProcess(this.#needs.db, this.#needs.process.id).catch(() => undefined)
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await this.look().catch((error) =>
        this.#needs.log.debug({ error: String(error) }, 'other processes cannot be reached'),
      )
      await sleep(LOOK_MS, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  /** One exchange with the others. */
  async look(): Promise<void> {
    const { db, learner } = this.#needs
    try {
      await this.#tell()
      for (const silent of this.#peers.note(await listProcesses(db))) await removeSilent(db, silent)
    } finally {
      for (const id of this.#heard.keys()) if (!this.#peers.isLive(id)) this.#forget(id)
    }
    const news = this.peers.filter(({ id, learnedNumber }) => this.#heard.get(id) !== learnedNumber)
    for (const { id, learned } of await readLearned(
      db,
      news.map(({ id }) => id),
    ))
      learner.learn(id, learned)
    for (const { id, learnedNumber } of news) this.#heard.set(id, learnedNumber)
    await this.#refreshKey()
    await this.#needs.refreshAliases()
    await this.#needs.refreshLimits()
    await this.#needs.refreshGuardrails()
    this.#noticeDifferences()
  }

  #forget(id: string): void {
    this.#heard.delete(id)
    this.#needs.learner.forget(id)
  }

  async #tell(): Promise<void> {
    const text = this.#needs.learner.text()
    const isNews = text !== this.#told
    if (isNews) this.#toldNumber++
    this.#told = text
    if (isNews || this.#looks++ % LOOKS_PER_BEAT === 0) await this.#beat()
  }

  async #beat(): Promise<void> {
    const { db, process, webhookKeys, ledgerWaiting } = this.#needs
    const webhookKey = webhookKeys.current.signer.keyId
    const told = { learnedNumber: this.#toldNumber, learned: this.#told, ledgerWaiting: ledgerWaiting() }
    await recordBeat(db, { ...process, webhookKey, ...told })
  }

  async #refreshKey(): Promise<void> {
    const { db, webhookKeys, log } = this.#needs
    const version = await versionOfSecret(db, WEBHOOK_KEY)
    const isNew = await webhookKeys.refresh(version).catch((error) => {
      if (version !== this.#unreadable) log.error({ error: String(error) }, 'the new webhook key cannot be read')
      this.#unreadable = version
      return false
    })
    if (!isNew) return
    log.info({ key_id: webhookKeys.current.signer.keyId }, 'the webhook key was replaced')
    await this.#beat()
  }

  /** Says once for each other process what should be the same but is not. */
  #noticeDifferences(): void {
    const { process, webhookKeys, log } = this.#needs
    const own = webhookKeys.current.signer.keyId
    for (const what of this.#differences.keys())
      if (!this.#peers.isLive(what.split(' ')[0]!)) this.#differences.delete(what)
    for (const { id, webhookKey, blobs } of this.peers) {
      if (this.#hasLasted(`${id} key`, webhookKey !== own))
        log.warn({ process: id, key_id: own, other_key_id: webhookKey }, DIFFERENT_KEYS)
      if (this.#hasLasted(`${id} blobs`, areApart(blobs, process.blobs))) log.error({ process: id }, DIFFERENT_BLOBS)
    }
  }

  #hasLasted(what: string, differs: boolean): boolean {
    if (!differs) this.#differences.delete(what)
    else this.#differences.set(what, (this.#differences.get(what) ?? 0) + 1)
    return this.#differences.get(what) === LOOKS_UNTIL_WARNING
  }
}

const DIFFERENT_KEYS =
  'another process signs webhooks with a different key: use the same WEBHOOK_PRIVATE_KEY_FILE for all processes, or none'
const DIFFERENT_BLOBS =
  'another process keeps files elsewhere: set BLOB_URL, or mount one shared folder as DATA_DIR/blobs of all processes'
