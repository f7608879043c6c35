import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Caller } from '../../tenants/access/caller.ts'
import { keepsNothing } from '../../tenants/access/policy.ts'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import type { Call } from '../call.ts'
import type { ContentDraft, KeptContent } from '../content-draft.ts'
import type { ContentSettings } from '../../contract/admin/content.ts'
import type { RunEngine } from '../../translation/engine-api/engines.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import {
  deleteContentRows,
  hasContent,
  insertContent,
  type NewContent,
} from '../../platform/store/contents/contents.ts'
import { type RecordingRules, readRecordingRules } from '../../platform/store/keys/content-recording.ts'
import type { Database } from '../../platform/store/database.ts'
import type { Opened } from '../../platform/late.ts'
import { ownerOf } from '../../platform/store/owner.ts'
import { keyFor, writeContent } from './content-blobs.ts'
import { cutTexts, shownValue } from './shown-value.ts'
import { withPlaceholders } from './with-placeholders.ts'
import { withoutPersonalData } from './without-personal-data.ts'

// Keeps the content of calls, of projects that want it. Calls never wait for it: what is too much is dropped and counted.

const LOOK_MS = 2_000
const MAX_WAITING = 200
const MAX_WAITING_CHARS = 32_000_000
const DAYS = 7
const BYTES = 8_192
/** Recordings are for debugging. */
const RECORDED_DAYS = 1
const RECORDED_BYTES = 65_536
/** Of other endpoints, only what was asked is kept. `mcp`: the result of a tool of a server behind the gateway. */
const ANSWERING: ReadonlySet<string> = new Set(['chat', 'mcp'])

type Needs = {
  db: Database
  blobs: BlobStore
  secrets: Opened<Pick<Secrets, 'ensure'>>
  engine: RunEngine
  now(): number
  dropped(reason: 'too_many' | 'failed'): void
  log: Pick<Logger, 'warn' | 'debug'>
  lookMs?: number | undefined
}

type RecordingSettings = Pick<ContentDraft, 'mode' | 'days' | 'bytesPerField' | 'recordedKey' | 'isInSpans'>
type PendingContent = {
  row: Omit<NewContent, 'id'>
  value: KeptContent
  chars: number
  bytesPerField: number
  restored: ContentDraft['restored']
  whenKept: ContentDraft['whenKept']
}

export class Contents {
  readonly #needs: Needs
  #keptBy: RecordingRules = { projects: new Map(), keys: new Map() }
  readonly #waiting: PendingContent[] = []
  #waitingChars = 0
  #writing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(needs: Needs) {
    this.#needs = needs
  }

  async open(): Promise<void> {
    await this.refresh()
    const look = () => void this.refresh().catch(() => undefined)
    this.#timer ??= setInterval(look, this.#needs.lookMs ?? LOOK_MS).unref()
  }

  /** Reads again who keeps content. */
  async refresh(): Promise<void> {
    this.#keptBy = await readRecordingRules(this.#needs.db)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.written()
  }

  /** Resolves when what has ended so far is stored. */
  async written(): Promise<void> {
    // What ended in this step is taken in the next one.
    await new Promise(setImmediate)
    await this.#writing
  }

  /** For a call that begins. Undefined, nearly always, if nothing of it is kept. */
  begin(caller: Caller, body: unknown): ContentDraft | undefined {
    const { projects, keys } = this.#keptBy
    if (projects.size === 0 && keys.size === 0) return undefined
    if (keepsNothing(caller.policy) || refuses(body)) return undefined
    const started = { request: body, answer: null, choices: [], streamedChars: 0 }
    const settings = wantedBy(projects.get(caller.project)) ?? this.#recording(caller.keyId)
    return settings && { ...settings, ...started }
  }

  /** What a project keeps comes first: then nothing of a recording is used up. */
  #recording(key: string): RecordingSettings | undefined {
    const recorded = this.#keptBy.keys.get(key)
    if (!recorded || recorded.until <= this.#needs.now()) return undefined
    return {
      mode: recorded.mode,
      days: RECORDED_DAYS,
      bytesPerField: RECORDED_BYTES,
      recordedKey: key,
      isInSpans: false,
    }
  }

  /**
   * For a call whose answer has been sent, and for a job that has ended. What is kept is copied in the next step, so that no
   * large body is held for long.
   */
  ended(call: Call): void {
    const { content } = call.record
    // A request without a body asks for nothing that could be kept.
    if (content && content.request !== undefined) setImmediate(() => this.#take(call, content))
    else content?.whenKept?.(undefined)
  }

  #take({ id, caller, record, endpoint }: Call, draft: ContentDraft): void {
    const { labels, status, code } = record
    const { mode, days, bytesPerField, recordedKey } = draft
    const answer = draft.choices.length > 0 ? { choices: draft.choices } : draft.answer
    const content = { status, code, request: draft.request, answer: ANSWERING.has(endpoint) ? answer : null }
    const { whenKept, restored } = draft
    const { value, chars } = shownValue(content, bytesPerField)
    if (this.#waiting.length >= MAX_WAITING || this.#waitingChars + chars > MAX_WAITING_CHARS) {
      whenKept?.(undefined)
      return this.#needs.dropped('too_many')
    }
    const row = {
      callId: id,
      ...ownerOf(caller),
      user: caller.user,
      endUser: labels.endUser,
      mode,
      days,
      recordedKey,
    }
    this.#waiting.push({ row, value: value as KeptContent, chars, bytesPerField, restored, whenKept })
    this.#waitingChars += chars
    this.#writing ??= this.#writeAll()
  }

  async #writeAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      this.#waitingChars -= next.chars
      const stored = await this.#write(next).catch((error) => this.#failed(error))
      next.whenKept?.(stored)
    }
    this.#writing = undefined
  }

  #failed(error: unknown): undefined {
    this.#needs.dropped('failed')
    this.#needs.log.warn({ error: String(error) }, 'the content of a call could not be kept')
    return undefined
  }

  /** Returns what was kept. Undefined if the project does not want that any more. */
  async #write({ row, value: ended, bytesPerField, restored }: PendingContent): Promise<KeptContent | undefined> {
    const { db, blobs, engine } = this.#needs
    const secrets = this.#needs.secrets.current
    if (!secrets) throw new Error('The store has not been reached yet.')
    const value = restored?.size ? await withPlaceholders(ended, restored) : ended
    const plain = row.mode === 'full' ? value : await withoutPersonalData(value, engine, row.owner)
    const ref = { id: randomUUID(), project: row.project }
    const key = await keyFor(row.project, secrets)
    const content = cutTexts(plain, bytesPerField) as KeptContent
    if (!(await insertContent(db, { ...ref, ...row }))) return undefined
    await writeContent(ref, content, { key, blobs }).catch(async (error) => {
      await deleteContentRows(db, [ref.id])
      throw error
    })
    // The project may have been deleted meanwhile, with all rows that name a blob.
    if (await hasContent(db, ref.id)) return content
    await blobs.delete(ref.id)
    return undefined
  }
}

/** `store: false` means that nothing is to be kept of this request, also among the further fields for the provider. */
function refuses(body: unknown): boolean {
  const { extra_body, provider_params } = (body ?? {}) as { extra_body?: unknown; provider_params?: unknown }
  return [body, extra_body, provider_params].some(saysNoStore)
}

function saysNoStore(fields: unknown): boolean {
  return typeof fields === 'object' && fields !== null && (fields as { store?: unknown }).store === false
}

function wantedBy(settings: ContentSettings | undefined): RecordingSettings | undefined {
  if (!settings || settings.mode === 'off') return undefined
  const { mode, days, bytes_per_field, in_spans } = settings
  const retention = { mode, days: days ?? DAYS, bytesPerField: bytes_per_field ?? BYTES }
  return { ...retention, recordedKey: null, isInSpans: in_spans === true }
}
