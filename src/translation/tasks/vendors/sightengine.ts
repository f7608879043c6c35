import { acceptFile } from '../inputs/accept-file.ts'
import { askForJson } from '../http/ask-provider.ts'
import { formPayload } from '../http/payload.ts'
import type { Task, Tools } from '../feature.ts'

// https://sightengine.com/docs. The secret has two parts, which are accepted only as form fields.

const ACCEPTED = { types: ['image/*'] }
const PROOF = { fields: { api_user: '{secret.1}', api_secret: '{secret.2}' } }

/** Runs some models on the task's file. */
export async function askSightengine<Reply>(
  tools: Tools,
  task: Pick<Task<unknown>, 'files' | 'params'>,
  models: string,
  read: (value: unknown) => Reply,
): Promise<Reply> {
  const fields = {
    ...task.params,
    models,
    media: undefined,
    url: undefined,
    api_user: undefined,
    api_secret: undefined,
  }
  const payload = await formPayload(fields, [{ field: 'media', file: acceptFile(task.files.file!, ACCEPTED) }])
  return await askForJson(tools, { path: '/check.json', payload, proof: PROOF }, read)
}
