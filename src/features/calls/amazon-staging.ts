import { randomUUID } from 'node:crypto'
import type { TaskFile, Tools } from '../feature.ts'
import { askForAnswer, askForFile } from './ask-provider.ts'

// Some services read and write files in a bucket only. It is the operator's own; what is put there for a task is taken
// away after it.

const FOLDER = 'gatehouse'

export type Staged = { Bucket: string; Name: string }

export async function stage(tools: Tools, file: TaskFile): Promise<Staged> {
  const staged = newStage(tools)
  const payload = { type: file.type, body: await file.bytes() }
  await askForAnswer(tools, { service: 's3', method: 'PUT', path: `/${staged.Name}`, payload })
  return staged
}

/** A name that nothing has. */
export function newStage(tools: Tools): Staged {
  return { Bucket: tools.address('s3').split('/').at(-1)!, Name: `${FOLDER}/${randomUUID()}` }
}

export async function staged(tools: Tools, name: string): Promise<Uint8Array> {
  return (await askForAnswer(tools, { service: 's3', path: `/${name}` })).bytes
}

export async function stagedFile(tools: Tools, name: string): Promise<Uint8Array> {
  return (await askForFile(tools, { service: 's3', path: `/${name}` })).bytes
}

/** What cannot be taken away now is the bucket's own rule to clean up: the task is done. */
export async function unstage(tools: Tools, name: string): Promise<void> {
  await askForAnswer(tools, { service: 's3', method: 'DELETE', path: `/${name}` }).catch(() => undefined)
}
