import type { RequestListener } from 'node:http'
import { createServer, type Server, type ServerOptions } from 'node:https'
import type { Logger } from 'pino'
import { readTlsPair, type TlsFiles, TlsFilesError, type TlsPair } from './tls-pair.ts'

/** Files are read and not watched: a mounted secret changes by a symbolic link, which a watcher of the file does not see. */
const LOOK_MS = 2_000

/** The certificate of the listeners. When its files change, new connections get the new one, and open ones stay as they are. */
export class TlsCertificate {
  readonly #files: TlsFiles
  readonly #log: Pick<Logger, 'info' | 'error'>
  readonly #servers: Server[] = []
  readonly #timer: NodeJS.Timeout
  #pair: TlsPair
  /** Why the files cannot be used now; it is logged once. */
  #refusal = ''

  /** Throws a TlsFilesError if the files cannot be used. */
  static async open(files: TlsFiles, log: Pick<Logger, 'info' | 'error'>): Promise<TlsCertificate> {
    return new TlsCertificate(files, await readTlsPair(files), log)
  }

  private constructor(files: TlsFiles, pair: TlsPair, log: Pick<Logger, 'info' | 'error'>) {
    this.#files = files
    this.#pair = pair
    this.#log = log
    this.#timer = setInterval(() => void this.refresh(), LOOK_MS).unref()
  }

  createServer(options: ServerOptions, listener: RequestListener): Server {
    const { cert, key } = this.#pair
    const server = createServer({ ...options, cert, key }, listener)
    this.#servers.push(server)
    return server
  }

  /** Reads the files again. If they are not valid, the servers go on with the certificate that they have. */
  async refresh(): Promise<void> {
    try {
      this.#use(await readTlsPair(this.#files))
    } catch (error) {
      this.#refuse(error)
    }
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #use(pair: TlsPair): void {
    this.#refusal = ''
    if (pair.cert === this.#pair.cert && pair.key === this.#pair.key) return
    this.#pair = pair
    for (const server of this.#servers) server.setSecureContext({ cert: pair.cert, key: pair.key })
    this.#log.info({ expires_at: pair.expiresAt }, 'the TLS certificate was replaced')
  }

  #refuse(error: unknown): void {
    if (!(error instanceof TlsFilesError)) throw error
    if (error.message === this.#refusal) return
    this.#refusal = error.message
    this.#log.error({ reason: error.message }, 'the TLS files cannot be used; the certificate in use stays')
  }
}
