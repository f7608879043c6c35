import { MB } from '../../base/units/units.ts'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import type { Logger } from 'pino'
import { encodeForeseen, type ForeseenLine } from './foreseen-line.ts'

// The calls that providers work on, in a file beside the journal: if the process is killed, they get their ledger lines from it
// (interrupted-calls.ts). Each line of the file is JSON: a number is a moment at which the process lived, a list is what the line of
// a call will say, and a text is the id of a call that has ended. No call waits for this: what has begun, changed or ended is
// written in rounds. It is in the page cache then, which outlives the process.

/** What began before the last round and goes on is written by the next one, so that most short calls never are. */
const ROUND_MS = 10
/** How often the file says that the process lives, while calls are in it. */
const ALIVE_MS = 250
/** When the disk refused the file. */
const RETRY_MS = 1_000
/** Then the calls that are in flight go to a new file. */
const FILE_BYTES = 4 * MB
const OWNER_ONLY = 0o600

export type InFlightOptions = {
  /** The path of a new file, which no other process takes for that of a dead one. */
  newPath(): string
  now(): number
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  write?: (fd: number, bytes: Uint8Array, offset: number) => number
  fileBytes?: number
}

type Entry = {
  readonly id: string
  readonly foresee: Foresee
  /** What the file has of it. */
  text: string | undefined
  isDue: boolean
  hasEnded: boolean
}

/**
 * What the line of the call will be if the process dies: undefined as long as no provider was asked, null if it owes nothing until
 * something changes.
 */
type Foresee = () => ForeseenLine | undefined | null

/** What a call tells. */
export type InFlightCall = {
  /** The call owes something else than before. */
  changed(): void
  /** Its ledger line has been recorded. */
  ended(): void
}

export class InFlight {
  readonly #options: InFlightOptions
  /** What has changed since the last round, and what had changed before it. */
  #young: Entry[] = []
  #ripe: Entry[] = []
  /** Calls that the file has. */
  readonly #listed = new Set<Entry>()
  #endedIds: string[] = []
  #file: { path: string; fd: number; bytes: number } | undefined
  #listedBytes = 0
  #isFailing = false
  #isClosed = false
  #round: NodeJS.Timeout | undefined
  #alive: NodeJS.Timeout | undefined

  constructor(options: InFlightOptions) {
    this.#options = options
  }

  follow(id: string, foresee: Foresee): InFlightCall {
    const entry: Entry = { id, foresee, text: undefined, isDue: false, hasEnded: false }
    return { changed: () => this.#changed(entry), ended: () => this.#ended(entry) }
  }

  /** How many calls the file has. */
  get count(): number {
    return this.#listed.size
  }

  /** Writes what changed before the last round. A timer does so. */
  readonly round = (): void => {
    this.#round = undefined
    const ripe = this.#ripe
    this.#ripe = this.#young.filter(({ hasEnded }) => !hasEnded)
    this.#young = []
    let text = ''
    for (const entry of ripe) if (!entry.hasEnded) text += this.#textOf(entry)
    for (const id of this.#endedIds) text += `${JSON.stringify(id)}\n`
    this.#endedIds = []
    if (text !== '') this.#append(text)
    if (this.#young.length + this.#ripe.length > 0) this.#schedule()
    this.#showLife()
  }

  /** Notes that the process lives. A timer does so. */
  readonly showLife = (): void => {
    if (this.#listed.size > 0) this.#append('')
  }

  /** All calls have ended, and the journal has their lines. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#round)
    clearInterval(this.#alive)
    this.#drop()
  }

  #changed(entry: Entry): void {
    if (entry.isDue || entry.hasEnded) return
    entry.isDue = true
    this.#young.push(entry)
    this.#schedule()
  }

  #ended(entry: Entry): void {
    entry.hasEnded = true
    if (!this.#unlist(entry)) return
    this.#endedIds.push(entry.id)
    this.#schedule()
  }

  /** The text for the file; empty if there is nothing to say yet. */
  #textOf(entry: Entry): string {
    const foreseen = this.#foresee(entry)
    if (foreseen === undefined) {
      // The request waits for its connection.
      this.#young.push(entry)
      return ''
    }
    entry.isDue = false
    if (!foreseen) {
      if (this.#unlist(entry)) this.#endedIds.push(entry.id)
      return ''
    }
    this.#unlist(entry)
    entry.text = encodeForeseen(foreseen)
    this.#listed.add(entry)
    this.#listedBytes += entry.text.length
    return entry.text
  }

  #foresee(entry: Entry): ReturnType<Foresee> {
    try {
      return entry.foresee()
    } catch (error) {
      entry.hasEnded = true
      this.#options.log.error({ id: entry.id, error: String(error) }, 'what a call costs cannot be estimated')
      return undefined
    }
  }

  #unlist(entry: Entry): boolean {
    if (!this.#listed.delete(entry)) return false
    this.#listedBytes -= entry.text!.length
    entry.text = undefined
    return true
  }

  #append(text: string): void {
    if (this.#isClosed) return
    try {
      this.#file ??= this.#create()
      this.#write(text)
      const { fileBytes = FILE_BYTES } = this.#options
      if (this.#file.bytes > Math.max(fileBytes, 2 * this.#listedBytes)) this.#startOver()
      this.#recover()
    } catch (error) {
      this.#fail(error)
    }
  }

  #create() {
    const path = this.#options.newPath()
    return { path, fd: openSync(path, 'ax', OWNER_ONLY), bytes: 0 }
  }

  #write(text: string): void {
    const { now, write = writeSync } = this.#options
    const file = this.#file!
    const bytes = Buffer.from(`${now()}\n${text}`)
    for (let done = 0; done < bytes.length; ) {
      const taken = write(file.fd, bytes, done)
      if (taken === 0) throw new Error('the disk took no bytes')
      done += taken
    }
    file.bytes += bytes.length
  }

  /** Both files say the same until the old one is gone. If the disk refuses the new one, the old one is still the file. */
  #startOver(): void {
    const old = this.#file
    this.#file = this.#create()
    try {
      let text = ''
      for (const entry of this.#listed) text += entry.text
      this.#write(text)
    } finally {
      this.#discard(old)
    }
  }

  /** A file that lacks the ends of calls would be wrong, so there is none until the disk takes one. */
  #fail(error: unknown): void {
    if (!this.#isFailing)
      this.#options.log.error(
        { error: String(error) },
        'calls in flight cannot be noted: a kill would lose their lines',
      )
    this.#isFailing = true
    this.#drop()
    for (const entry of [...this.#listed]) {
      this.#unlist(entry)
      this.#changed(entry)
    }
  }

  #recover(): void {
    if (this.#isFailing) this.#options.log.info({ calls: this.#listed.size }, 'calls in flight are noted again')
    this.#isFailing = false
  }

  #drop(): void {
    const file = this.#file
    this.#file = undefined
    this.#discard(file)
  }

  /** Never throws: a disk that fails fails no call. */
  #discard(file: { path: string; fd: number } | undefined): void {
    if (!file) return
    try {
      closeSync(file.fd)
    } catch {
      // Disks on a network report failed writes only now. The file is not needed any more.
    }
    try {
      rmSync(file.path, { force: true })
    } catch (error) {
      // It says that calls are in flight which have ended. Their own lines count.
      this.#options.log.warn({ error: String(error) }, 'a file of calls in flight cannot be removed')
    }
  }

  #schedule(): void {
    if (this.#isClosed) return
    this.#round ??= setTimeout(this.round, this.#isFailing ? RETRY_MS : ROUND_MS).unref()
  }

  #showLife(): void {
    if (this.#listed.size > 0) this.#alive ??= setInterval(this.showLife, ALIVE_MS).unref()
    else {
      clearInterval(this.#alive)
      this.#alive = undefined
    }
  }
}
