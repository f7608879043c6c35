import { appendFileSync, closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Moment } from './key-file-age.ts'
import { headerLine, keyLine, revokedLine } from './key-line.ts'
import type { CachedKey } from './cached-key.ts'

// What this process knows about keys, on disk, for a start without the store. New keys are appended now and then; a
// revocation is appended at once. The whole file is written anew when it has become much longer than what it says.

const OWNER_ONLY_FOLDER = 0o700
const OWNER_ONLY = 0o600
const STAMP_EVERY_MS = 5_000
const ENTRIES_PER_TURN = 500
/** The file may have this many lines more than twice the known keys. */
const SPARE_LINES = 1_000

/** Everything that belongs into the file. */
export type KeyFileContent = {
  size(): number
  keys(): Iterable<[digest: string, key: CachedKey]>
  revoked(): Iterable<string>
}

type KeyFileOptions = {
  folder: string
  /** A UUID for this process. */
  id: string
  log: Pick<Logger, 'warn'>
  moment(): Moment
}

export class KeyFile {
  readonly #path: string
  readonly #folder: string
  readonly #log: KeyFileOptions['log']
  readonly #moment: () => Moment
  #content: KeyFileContent | undefined
  #newLines: string[] = []
  /** Undefined until the file is written for the first time, and after an error. */
  #lines: number | undefined
  #stampedAt = Number.NEGATIVE_INFINITY
  #rewriting: Promise<void> | undefined
  #revokedMeanwhile: string[] = []
  #isFailing = false

  constructor({ folder, id, log, moment }: KeyFileOptions) {
    this.#folder = folder
    this.#path = join(folder, `${id}.jsonl`)
    this.#log = log
    this.#moment = moment
  }

  /** Takes effect with the next call of `confirmed`. */
  add(digest: string, key: CachedKey): void {
    if (this.#lines !== undefined || this.#rewriting) this.#newLines.push(keyLine(digest, key))
  }

  /** A process that is killed after this must not accept the key when it starts again. */
  revoke(digests: readonly string[]): void {
    const lines = digests.map(revokedLine)
    if (this.#rewriting) this.#revokedMeanwhile.push(...lines)
    if (lines.length > 0 && this.#lines !== undefined) this.#append(lines)
  }

  /** The store has confirmed the content just now. Writes what has changed, or all of it in the background. */
  confirmed(content: KeyFileContent): void {
    this.#content = content
    if (this.#rewriting) return
    const tooLong = this.#lines !== undefined && this.#lines > 2 * content.size() + SPARE_LINES
    if (this.#lines === undefined || tooLong) this.#rewriting = this.#rewrite(content)
    else this.#writeNews()
  }

  /** Waits for the background. */
  async close(): Promise<void> {
    await this.#rewriting
    this.#stampedAt = Number.NEGATIVE_INFINITY
    if (this.#content && this.#lines !== undefined) this.#writeNews()
  }

  #writeNews(): void {
    const lines = this.#newLines
    this.#newLines = []
    if (lines.length > 0) this.#append(lines)
    const { bootMs } = this.#moment()
    if (bootMs - this.#stampedAt >= STAMP_EVERY_MS) this.#stamp()
  }

  #append(lines: readonly string[]): void {
    this.#attempt(() => {
      appendFileSync(this.#path, lines.join(''), { mode: OWNER_ONLY })
      this.#lines! += lines.length
    })
  }

  /** Replaces the first line. Fails if another process has removed the file because it seemed to be abandoned. */
  #stamp(): void {
    this.#attempt(() => {
      const now = this.#moment()
      const file = openSync(this.#path, 'r+')
      try {
        writeSync(file, headerLine({ ...now, ageMs: 0 }), 0)
      } finally {
        closeSync(file)
      }
      this.#stampedAt = now.bootMs
    })
  }

  async #rewrite(content: KeyFileContent): Promise<void> {
    const temporary = `${this.#path}.tmp`
    this.#newLines = []
    this.#revokedMeanwhile = []
    const now = this.#moment()
    try {
      mkdirSync(this.#folder, { recursive: true, mode: OWNER_ONLY_FOLDER })
      const lines = await writeAll(temporary, headerLine({ ...now, ageMs: 0 }), content)
      // In one step of the event loop, so that no revocation comes between.
      appendFileSync(temporary, this.#revokedMeanwhile.join(''))
      renameSync(temporary, this.#path)
      this.#lines = lines + this.#revokedMeanwhile.length
      this.#stampedAt = now.bootMs
      this.#isFailing = false
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#rewriting = undefined
    }
  }

  #attempt(write: () => void): void {
    try {
      write()
    } catch (error) {
      this.#fail(error)
    }
  }

  /** A file that lacks a revocation is worse than none. The next confirmation writes a new one. */
  #fail(error: unknown): void {
    this.#lines = undefined
    this.#newLines = []
    if (!this.#isFailing) this.#log.warn({ error: String(error) }, 'known keys cannot be kept on disk')
    this.#isFailing = true
    try {
      for (const path of [this.#path, `${this.#path}.tmp`]) rmSync(path, { force: true })
    } catch (error) {
      this.#log.warn({ error: String(error) }, 'the file of known keys cannot be removed')
    }
  }
}

/** Returns the number of lines. New keys that come meanwhile are appended later: the file need not have them. */
async function writeAll(path: string, header: string, content: KeyFileContent): Promise<number> {
  await using file = await open(path, 'w', OWNER_ONLY)
  await file.write(header)
  let lines = 0
  for (const text of inPieces(content)) {
    await file.write(text.join(''))
    lines += text.length
    await nextTurn()
  }
  await file.datasync()
  return lines
}

/** A turn of the event loop for each piece, because requests must not wait for 100,000 lines. */
function* inPieces({ keys, revoked }: KeyFileContent): Generator<string[]> {
  let piece: string[] = []
  for (const line of allLines()) {
    if (piece.push(line) < ENTRIES_PER_TURN) continue
    yield piece
    piece = []
  }
  yield piece

  function* allLines() {
    for (const [digest, key] of keys()) yield keyLine(digest, key)
    for (const digest of revoked()) yield revokedLine(digest)
  }
}
