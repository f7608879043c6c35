import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Batch } from '../../contract/batches.ts'
import { WireFailure } from '../../translation/wire/wire.ts'
import type { Input } from '../command-line/command-table.ts'
import { inMb } from '../output/amounts.ts'
import { withProgress } from '../output/progress.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { type BatchApi, withApi } from './api.ts'
import { exitCodeOf, hasEnded } from './endings.ts'
import { summaryOf } from './summary.ts'

/** `gatehouse batch results ID`: the lines of the output file and those of the error file, as the API has them. */
export async function results({ values, operands }: Input<'batch results'>, terminal: Terminal): Promise<number> {
  return await withApi(terminal, values.url, async (api) => {
    const batch = await api.batch(operands[0]!)
    if (!hasEnded(batch))
      throw new UsageError(`The batch has not ended: it is ${batch.status}. Wait with: gatehouse batch status --watch`)
    if (values.output === undefined) await printLines(answersOf(batch, api), terminal)
    else await save(answersOf(batch, api), values.output, terminal)
    if (exitCodeOf(batch) > 0) terminal.remark(summaryOf(batch))
    return exitCodeOf(batch)
  })
}

async function* answersOf({ output_file_id, error_file_id }: Batch, api: BatchApi): AsyncGenerator<Uint8Array> {
  for (const file of [output_file_id, error_file_id]) if (file !== null) yield* contentOf(file, api)
}

async function* contentOf(file: string, api: BatchApi): AsyncGenerator<Uint8Array> {
  const { body } = await api.open(`/v3/files/${encodeURIComponent(file)}/content`)
  try {
    yield* body
  } catch (error) {
    if (error instanceof WireFailure)
      throw new UsageError('The connection to the gateway broke off. Run the command again.')
    throw error
  }
}

/** A reader that takes its time holds up the download. */
async function printLines(pieces: AsyncIterable<Uint8Array>, { output = process.stdout }: Terminal): Promise<void> {
  try {
    await pipeline(pieces, output, { end: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
    throw new UsageError('The program that reads the output ended before it had all answers.')
  }
}

/** A download that breaks off leaves the earlier file as it was. */
async function save(pieces: AsyncIterable<Uint8Array>, file: string, { screen }: Terminal): Promise<void> {
  const part = `${file}.part`
  try {
    await withProgress('Downloading', { screen }, async ({ step }) => {
      let bytes = 0
      const counted = async function* () {
        for await (const piece of pieces) {
          bytes += piece.length
          step(inMb(bytes))
          yield piece
        }
      }
      await pipeline(counted(), createWriteStream(part))
    })
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}
