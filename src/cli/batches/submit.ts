import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Batch } from '../../contract/batches.ts'
import type { WireSource } from '../../translation/wire/wire.ts'
import type { Input } from '../command-line/command-table.ts'
import { inMb } from '../output/amounts.ts'
import { printable } from '../output/printable.ts'
import { withProgress } from '../output/progress.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { type BatchApi, withApi } from './api.ts'

/** `gatehouse batch submit FILE` prints the id of the batch and nothing else, so that scripts can keep it. */
export async function submit({ values, operands }: Input<'batch submit'>, terminal: Terminal): Promise<number> {
  const file = operands[0]!
  const { endpoint, 'completion-window': completion_window } = values
  return await withApi(terminal, values.url, async (api) => {
    const input_file_id = await upload(file, api, terminal)
    const body = JSON.stringify({ input_file_id, endpoint, completion_window })
    const headers = { 'content-type': 'application/json' }
    const { id } = await api.json<Batch>('/v3/batches', { method: 'POST', body, headers })
    terminal.print(`${printable(id)}\n`)
    terminal.remark(`Follow it with: gatehouse batch status ${printable(id)} --watch\n`)
    return 0
  })
}

async function upload(file: string, api: BatchApi, { screen }: Terminal): Promise<string> {
  const { size } = await sizeOf(file)
  const boundary = `gatehouse-${randomBytes(12).toString('hex')}`
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  const stored = await withProgress('Uploading', { screen, format: inMb }, ({ at }) =>
    api.json<{ id: string }>('/v3/files', { method: 'POST', headers, source: formOf(file, size, boundary, at) }),
  )
  return stored.id
}

async function sizeOf(file: string) {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read (${error.code}).`)
  })
  if (!found.isFile()) throw new UsageError(`${file} is not a file.`)
  if (found.size === 0) throw new UsageError(`${file} is empty.`)
  return found
}

/** The file is read while it is sent, so that its length does not matter. */
function formOf(file: string, size: number, boundary: string, at: (done: number, total: number) => void): WireSource {
  const head = Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--${boundary}\r\n` +
      'content-disposition: form-data; name="file"; filename="requests.jsonl"\r\ncontent-type: application/jsonl\r\n\r\n',
  )
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  return { length: head.length + size + tail.length, read }

  async function* read(): AsyncGenerator<Uint8Array> {
    yield head
    let done = 0
    for await (const piece of createReadStream(file, { end: size - 1 }) as AsyncIterable<Buffer>) {
      yield piece
      done += piece.length
      at(done, size)
    }
    // A form that ends early would be a file with fewer lines.
    if (done !== size) throw new UsageError(`${file} was changed while it was sent.`)
    yield tail
  }
}
