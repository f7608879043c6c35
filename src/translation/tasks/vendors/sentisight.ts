import { acceptFile } from '../inputs/accept-file.ts'
import { pixelSize, type Size } from '../inputs/pixel-size.ts'
import { askForJson } from '../http/ask-provider.ts'
import { type Fields, queryOf } from '../http/payload.ts'
import type { Task, Tools } from '../feature.ts'

// https://www.sentisight.ai/user-guide. The body of a request is the image. Scores are percentages, and positions are pixels of
// an image whose size the answer does not say.

const ACCEPTED = { types: ['image/*'] }

/** What a pre-trained model finds in the task's file, and the size of the image. */
export async function askSentisight<Reply>(
  tools: Tools,
  task: Pick<Task<unknown>, 'files' | 'params'>,
  { model, ...options }: { model: string } & Fields,
  read: (value: unknown) => Reply,
): Promise<{ original: Reply; size: Size | null }> {
  const body = await acceptFile(task.files.file!, ACCEPTED).bytes()
  const query = queryOf({ ...options, ...task.params })
  const path = `/pm-predict/${model}${query === '?' ? '' : query}`
  const original = await askForJson(tools, { path, payload: { type: 'application/octet-stream', body } }, read)
  return { original, size: pixelSize(body) }
}

export function fractionOf(percent: number): number {
  return percent / 100
}
