import { randomUUID } from 'node:crypto'
import type { TaskFile, Tools } from '../feature.ts'
import { askForAnswer } from './ask-provider.ts'

// What has to stand in a bucket to be read is put into the operator's own, and taken away after the task.

const FOLDER = 'gatehouse'

export type GoogleStaged = { name: string; uri: string }

export async function stageAtGoogle(tools: Tools, file: TaskFile): Promise<GoogleStaged> {
  const name = `${FOLDER}/${randomUUID()}`
  const payload = { type: file.type, body: await file.bytes() }
  await askForAnswer(tools, { service: 'storage', method: 'PUT', path: `/${name}`, payload })
  return { name, uri: `gs://${tools.address('storage').split('/').at(-1)}/${name}` }
}

/** What cannot be taken away now is the bucket's own rule to clean up: the task is done. */
export async function unstageAtGoogle(tools: Tools, { name }: GoogleStaged): Promise<void> {
  await askForAnswer(tools, { service: 'storage', method: 'DELETE', path: `/${name}` }).catch(() => undefined)
}
