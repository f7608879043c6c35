import { type Accepted, takenInstead } from './calls/accept-file.ts'
import type { Adapter, Feature, SlowAdapter, Task, TaskFile, Tools } from './feature.ts'
import { fileFieldsIn } from './file-fields.ts'

/** A kind of file that nobody takes. */
const ODD: TaskFile = { name: 'a', type: 'x-none/x-none', size: 1, pages: 1, bytes: async () => new Uint8Array(1) }

/**
 * Which files an adapter takes, by its own word: offered one that nobody takes, it has to say so before it asks anybody.
 * Null where the task has no files, or the adapter leaves it to the provider to refuse them.
 */
export async function acceptedBy(feature: Feature, adapter: Adapter | SlowAdapter): Promise<Accepted | null> {
  const fields = fileFieldsIn(feature.input)
  if (fields.length === 0) return null
  const task = taskWithOdd(feature, fields)
  const done = 'run' in adapter ? adapter.run(task, NOBODY) : adapter.start(task, NOBODY)
  const failure = await done.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return takenInstead(failure) ?? null
}

/** Every field for files is filled: some are not required. */
function taskWithOdd({ input, example }: Feature, fields: string[]): Task<unknown> {
  const { properties = {} } = input as { properties?: Record<string, unknown> }
  const isList = (field: string) => JSON.stringify(properties[field]).includes('"type":"array"')
  const given = fields.map((field) => [field, isList(field) ? [ODD.name] : ODD.name])
  const files = fields.map((field) => [isList(field) ? `${field}.0` : field, ODD])
  return {
    input: { ...(example.input as object), ...Object.fromEntries(given) },
    model: null,
    params: {},
    files: Object.fromEntries(files),
  }
}

/** Tools that reach nobody. */
const NOBODY: Tools = {
  send: refuse,
  limits: { headersMs: 1, idleMs: 1 },
  signal: new AbortController().signal,
  address: () => 'https://nobody.invalid',
  authorize: (request) => request,
  redacted: (text) => text,
  keep: refuse,
  engine: refuse,
}

function refuse(): Promise<never> {
  return Promise.reject(new Error('there is nobody to ask'))
}
