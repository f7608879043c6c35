import { randomUUID } from 'node:crypto'
import type { TaskFile, Tools } from '../feature.ts'
import { askForAnswer, askForFile } from './ask-provider.ts'

// Some services read and write files in a bucket only. It is the operator's own; what is put there for a task is taken
// away after it.

const FOLDER = 'gatehouse'

/** The services of clouds that keep files. */
type Keeper = 's3' | 'storage'

export type Staged = { keeper: Keeper; bucket: string; name: string }

/** Puts a file there, for a task that is begun with it; where it does not begin, the file is taken away again. */
export async function withStaged<Begun>(
  tools: Tools,
  keeper: Keeper,
  file: TaskFile,
  begin: (staged: Staged) => Promise<Begun>,
): Promise<Begun> {
  const staged = newStage(tools, keeper)
  const payload = { type: file.type, body: await file.bytes() }
  await askForAnswer(tools, { service: keeper, method: 'PUT', path: `/${staged.name}`, payload })
  try {
    return await begin(staged)
  } catch (error) {
    await unstage({ ...tools, signal: new AbortController().signal }, staged)
    throw error
  }
}

/** A name that nothing has. */
export function newStage(tools: Tools, keeper: Keeper): Staged {
  return { keeper, bucket: tools.address(keeper).split('/').at(-1)!, name: `${FOLDER}/${randomUUID()}` }
}

export function uriOf({ keeper, bucket, name }: Staged): string {
  return `${keeper === 's3' ? 's3' : 'gs'}://${bucket}/${name}`
}

/** The places of files in a folder that a provider names; none where it is not one of ours. */
export function stagedIn({ keeper, bucket }: Staged, folder: string | undefined, files: readonly string[]): Staged[] {
  const root = uriOf({ keeper, bucket, name: '' })
  if (!folder?.startsWith(`${root}${FOLDER}/`)) return []
  return files.map((file) => ({ keeper, bucket, name: `${folder.slice(root.length)}/${file}` }))
}

export async function stagedText(tools: Tools, { keeper, name }: Staged): Promise<string> {
  return (await askForAnswer(tools, { service: keeper, path: `/${name}` })).bytes.toString('utf8')
}

export async function stagedFile(tools: Tools, { keeper, name }: Staged): Promise<Uint8Array> {
  return (await askForFile(tools, { service: keeper, path: `/${name}` })).bytes
}

/** What cannot be taken away now is the bucket's own rule to clean up: the task is done. */
export async function unstage(tools: Tools, { keeper, name }: Staged): Promise<void> {
  await askForAnswer(tools, { service: keeper, method: 'DELETE', path: `/${name}` }).catch(() => undefined)
}
