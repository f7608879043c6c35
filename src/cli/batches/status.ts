import { setTimeout as sleep } from 'node:timers/promises'
import { SECOND_MS } from '../../base/units/units.ts'
import type { Batch } from '../../contract/batches.ts'
import type { Input } from '../command-line/command-table.ts'
import { withProgress } from '../output/progress.ts'
import type { Terminal } from '../terminal.ts'
import { type BatchApi, withApi } from './api.ts'
import { exitCodeOf, hasEnded } from './endings.ts'
import { summaryOf } from './summary.ts'

const LOOK_MS = 2 * SECOND_MS

/** `lookMs` is for tests: how long it waits between two looks. */
export async function status(
  { values, operands }: Input<'batch status'>,
  terminal: Terminal,
  lookMs = LOOK_MS,
): Promise<number> {
  return await withApi(terminal, values.url, async (api) => {
    const id = operands[0]!
    const batch = values.watch ? await whenEnded(id, api, terminal, lookMs) : await api.batch(id)
    terminal.print(values.json ? `${JSON.stringify(batch)}\n` : summaryOf(batch))
    return exitCodeOf(batch)
  })
}

async function whenEnded(id: string, api: BatchApi, { screen }: Terminal, lookMs: number): Promise<Batch> {
  return await withProgress('Batch', { screen }, async ({ at, step }) => {
    for (;;) {
      const batch = await api.batch(id)
      if (hasEnded(batch)) return batch
      const { completed, failed, total } = batch.request_counts
      step(batch.paused_reason === null ? batch.status : `paused, ${batch.paused_reason}`)
      at(completed + failed, total)
      await sleep(lookMs)
    }
  })
}
