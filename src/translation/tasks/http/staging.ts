import { randomUUID } from 'node:crypto'
import type { TaskFile, Tools } from '../feature.ts'
import { askForAnswer, askForFile } from './ask-provider.ts'

// Some services read and write files only in a bucket. The bucket is the operator's own; files of a task are deleted after it.

const FOLDER = 'gatehouse'

/** The storage services of the clouds. */
type Keeper = 's3' | 'storage'

export type Staged = { keeper: Keeper; bucket: string; name: string }

/** Uploads a file for a task; if the task does not start, the file is deleted again. */
export async function withStaged<Begun>(
  tools: Tools,
  keeper: Keeper,
  file: TaskFile,
  begin: (staged: Staged) => Promise<Begun>,
): Promise<Begun> {
  const staged = newStage(tools, keeper)
  const payload = { type: file.type, body: await file.bytes() }
  await askForAnswer(tools, { service: keeper, isFree: true, method: 'PUT', path: `/${staged.name}`, payload })
  try {
    return await begin(staged)
  } catch (error) {
    await unstage({ ...tools, signal: new AbortController().signal }, staged)
    throw error
  }
}

/** A unique name. */
export function newStage(tools: Tools, keeper: Keeper): Staged {
  return { keeper, bucket: tools.address(keeper).split('/').at(-1)!, name: `${FOLDER}/${randomUUID()}` }
}

export function uriOf({ keeper, bucket, name }: Staged): string {
  return `${keeper === 's3' ? 's3' : 'gs'}://${bucket}/${name}`
}

/** The names of files in a folder that a provider reports; none if the folder is not ours. */
export function stagedIn({ keeper, bucket }: Staged, folder: string | undefined, files: readonly string[]): Staged[] {
  const root = uriOf({ keeper, bucket, name: '' })
  if (!folder?.startsWith(`${root}${FOLDER}/`)) return []
  return files.map((file) => ({ keeper, bucket, name: `${folder.slice(root.length)}/${file}` }))
}

export async function stagedText(tools: Tools, { keeper, name }: Staged): Promise<string> {
  return (await askForAnswer(tools, { service: keeper, isFree: true, path: `/${name}` })).bytes.toString('utf8')
}

export async function stagedFile(tools: Tools, { keeper, name }: Staged): Promise<Uint8Array> {
  return (await askForFile(tools, { service: keeper, isFree: true, path: `/${name}` })).bytes
}

/** A file that cannot be deleted now is left to the bucket's lifecycle rule, because the task is done. */
export async function unstage(tools: Tools, { keeper, name }: Staged): Promise<void> {
  await askForAnswer(tools, { service: keeper, isFree: true, method: 'DELETE', path: `/${name}` }).catch(
    () => undefined,
  )
}
