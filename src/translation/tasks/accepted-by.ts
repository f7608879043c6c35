import { type Accepted, takenInstead } from './inputs/accept-file.ts'
import type { Adapter, Feature, SlowAdapter, Task, TaskFile, Tools } from './feature.ts'
import { fileFieldsIn } from './file-fields.ts'

/** A media type that no adapter accepts. */
const ODD: TaskFile = { name: 'a', type: 'x-none/x-none', size: 1, pages: 1, bytes: async () => new Uint8Array(1) }

/**
 * The files that an adapter accepts. The adapter is offered a file that no adapter accepts, and must decline it before it calls
 * its provider. Null if the task has no files or the adapter leaves the refusal to the provider.
 */
export async function acceptedBy(feature: Feature, adapter: Adapter | SlowAdapter): Promise<Accepted | null> {
  if (fileFieldsIn(feature.input).length === 0) return null
  const task = taskWithFile(ODD, feature)
  const done = 'run' in adapter ? adapter.run(task, OFFLINE) : adapter.start(task, OFFLINE)
  const failure = await done.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return takenInstead(failure) ?? null
}

/** The example of the task with this file in every file field, also in optional ones. */
export function taskWithFile(file: TaskFile, { input, example }: Feature): Task<unknown> {
  const { properties = {} } = input as { properties?: Record<string, unknown> }
  const fields = fileFieldsIn(input)
  const isList = (field: string) => JSON.stringify(properties[field]).includes('"type":"array"')
  const options = fields.map((field) => [field, isList(field) ? [file.name] : file.name])
  const files = fields.map((field) => [isList(field) ? `${field}.0` : field, file])
  return {
    input: { ...(example.input as object), ...Object.fromEntries(options) },
    model: null,
    params: {},
    files: Object.fromEntries(files),
  }
}

/** Tools without a network. */
const OFFLINE: Tools = {
  send: refuse,
  timeouts: { headersMs: 1, idleMs: 1 },
  signal: new AbortController().signal,
  now: () => 0,
  address: () => 'https://offline.invalid',
  authorize: (request) => request,
  redacted: (text) => text,
  setting: (...names) => ({ name: names[0] ?? '', value: 'none' }),
  keep: refuse,
  engine: refuse,
}

function refuse(): Promise<never> {
  return Promise.reject(new Error('these tools have no network'))
}
