import { join } from 'node:path'
import { TempFile } from '../../platform/blobs/temp-file.ts'

/** The temp files of one call. They exist until its reply has been written. */
export class TempFiles {
  readonly #folder: string
  readonly #owner: string
  readonly #tempFiles: TempFile[] = []

  constructor(dataDir: string, owner: string) {
    this.#owner = owner
    this.#folder = join(dataDir, 'temp-files')
  }

  /** Opens a new file for each writer. */
  open(): TempFile {
    const tempFile = new TempFile(this.#folder, this.#owner)
    this.#tempFiles.push(tempFile)
    return tempFile
  }

  async close(): Promise<void> {
    await Promise.all(this.#tempFiles.splice(0).map((tempFile) => tempFile.close()))
  }
}
