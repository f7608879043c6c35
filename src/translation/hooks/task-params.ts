import Type from '../../base/schema/type.ts'
import { optional } from '../../base/schema/fields.ts'
import type { TaskRequest } from './hook.ts'

const MAX_PROVIDER_CHARS = 200
const MAX_FALLBACKS = 3

const name = (description: string) => Type.String({ minLength: 1, maxLength: MAX_PROVIDER_CHARS, description })

/** The provider of a hook's task: any provider of that task, as in `POST /v3/universal-ai`. */
export const providerParams = {
  provider: name(
    'A provider of this task, as `provider` or `provider/model`, or a chat model if the task supports it.',
  ),
  fallbacks: optional(
    Type.Array(name('A provider.'), { maxItems: MAX_FALLBACKS }),
    'Providers to try, in this order, if one fails.',
  ),
}

type ParamValues = { provider: string; fallbacks?: string[] | null | undefined }

export function taskOf(task: string, { provider, fallbacks }: ParamValues): TaskRequest {
  return { model: `${task}/${provider}`, fallbacks }
}
