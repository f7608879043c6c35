import { stat } from 'node:fs/promises'
import type { Logger } from 'pino'
import { ConfigError } from '../platform/config/config-error.ts'
import type { Config } from '../platform/config/config.ts'
import type { Configuration } from './configuration.ts'

/** Platforms replace files with secrets in many ways (renames, links, mounts), which only a look at the file finds reliably. */
const LOOK_MS = 2_000

type Needs = { configuration: Configuration; log: Pick<Logger, 'warn'>; lookMs?: number | undefined }

/** Reads files with credentials again when they have changed. */
export class CredentialFiles {
  readonly #needs: Needs
  readonly #timer: NodeJS.Timeout
  /** What each file looked like before it was last read. The first look reads all of them: they may have changed meanwhile. */
  #seen = new Map<string, string>()
  #looking: Promise<void> | undefined

  constructor(needs: Needs) {
    this.#needs = needs
    this.#timer = setInterval(() => {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined
      })
    }, needs.lookMs ?? LOOK_MS).unref()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#looking
  }

  async #look(): Promise<void> {
    const { configuration, log } = this.#needs
    const files = filesOf(configuration.active)
    if (files.length === 0) return
    const looks = new Map(await Promise.all(files.map(async (file) => [file, await lookOf(file)] as const)))
    const hasChanged = files.some((file) => this.#seen.get(file) !== looks.get(file))
    this.#seen = looks
    if (!hasChanged) return
    try {
      configuration.refresh()
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      log.warn({ reason: error.message }, 'a file with a credential cannot be used; the old credential stays in use')
    }
  }
}

function filesOf({ providers }: Config): string[] {
  const credentials = Object.values(providers).flatMap((one) => [...one.credentials, one.serviceCredential])
  const files = credentials.flatMap((one) => (one?.from?.kind === 'file' ? [one.from.path] : []))
  return [...new Set(files)].sort()
}

async function lookOf(file: string): Promise<string> {
  const { mtimeMs, ctimeMs, size, ino } = await stat(file).catch(() => ({ mtimeMs: 0, ctimeMs: 0, size: 0, ino: 0 }))
  return [mtimeMs, ctimeMs, size, ino].join(' ')
}
