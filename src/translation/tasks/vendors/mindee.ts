import Type, { type Static } from '../../../base/schema/type.ts'
import { mapOf, optional } from '../../../base/schema/fields.ts'
import { acceptFile } from '../inputs/accept-file.ts'
import { askForAnswer, askForJson, jsonIn } from '../http/ask-provider.ts'
import { formPayload } from '../http/payload.ts'
import { abandoned } from '../http/refusal.ts'
import { replyReader } from '../http/reply-reader.ts'
import { ticketId } from '../http/ticket-id.ts'
import { untilDone } from '../http/until-done.ts'
import { joined, listAt, numberAt, textAt, valueAt } from '../results/loose-fields.ts'
import type { Task, Tools } from '../feature.ts'

// https://docs.mindee.com/integrations/api-reference, version 2. Models belong to an account: the operator copies them from
// Mindee's catalog and names their ids. A document is queued, and its result is fetched when the job is done.

const ACCEPTED = {
  types: ['application/pdf', 'image/jpeg', 'image/png', 'image/webp', 'image/tiff', 'image/heic', 'image/heif'],
  megabytes: 50,
}

const MODELS = { financial: 'MINDEE_FINANCIAL_MODEL', identity: 'MINDEE_IDENTITY_MODEL' }
const PRODUCT = '/products/extraction'
/** Mindee redirects to the result of a finished job unless it is asked not to. */
const REDIRECT = 302

/** Mindee grades its confidence in words. */
const CONFIDENCE: Readonly<Record<string, number>> = { Certain: 1, High: 0.75, Medium: 0.5, Low: 0.25 }

const Text = optional(Type.String(), 'May be missing.')
const Job = Type.Object({
  id: Type.String(),
  status: Type.String(),
  result_url: Text,
  error: optional(Type.Object({ code: Text, detail: Text }), 'Why it failed.'),
})
const readJob = replyReader(Type.Object({ job: Job }))
const readResult = replyReader(
  Type.Object({
    inference: Type.Object({
      file: Type.Optional(Type.Object({ page_count: Type.Optional(Type.Integer({ minimum: 1 })) })),
      result: Type.Object({ fields: mapOf(Type.Unknown()) }),
    }),
  }),
)

/** The fields that a model of the operator extracts from the task's file. */
export async function askMindee(tools: Tools, task: Task<unknown>, kind: keyof typeof MODELS) {
  const file = acceptFile(task.files.file!, ACCEPTED)
  const model_id = task.model ?? tools.setting(MODELS[kind]).value
  const own = { model_id, filename: file.name, file: undefined, url: undefined, webhook_ids: undefined }
  const payload = await formPayload({ ...task.params, ...own }, [{ field: 'file', file }])
  const { job } = await askForJson(tools, { path: `${PRODUCT}/enqueue`, payload }, readJob)
  const result = await untilDone(() => look(tools, job), tools)
  const original = await askForJson(tools, { path: `${PRODUCT}/results/${result}` }, readResult)
  const { file: read, result: found } = original.inference
  return { original, fields: found.fields, units: read?.page_count ?? file.pages ?? 1 }
}

/** The id of the result, once there is one. */
async function look(tools: Tools, { id }: Static<typeof Job>): Promise<'pending' | string> {
  const path = `/jobs/${ticketId(id)}?redirect=false`
  const answer = await askForAnswer(tools, { path, alsoAnswers: REDIRECT })
  const { location } = answer.headers
  if (typeof location === 'string') return resultId(location)
  const { job } = readJob(jsonIn(answer))
  if (job.error || job.status === 'Failed') throw abandoned(tools, job.error?.code, job.error?.detail)
  return job.status === 'Processed' ? resultId(job.result_url ?? '') : 'pending'
}

/** Only the id is taken from a URL: the credential is sent to the configured address. */
function resultId(url: string): string {
  return ticketId(url.split('/').at(-1) ?? '')
}

/** Fields have a value, fields of their own, or items. */
export function textIn(fields: unknown, ...path: string[]): string | null {
  return textAt(fields, ...pathTo(path), 'value')
}

export function amountIn(fields: unknown, ...path: string[]): number | null {
  return numberAt(fields, ...pathTo(path), 'value')
}

export function confidenceIn(field: unknown): number | null {
  return numberAt(field, 'confidence') ?? CONFIDENCE[textAt(field, 'confidence') ?? ''] ?? null
}

/** The fields of each item of a list, or the items themselves if they are simple values. */
export function itemsIn(fields: unknown, name: string): unknown[] {
  return listAt(fields, name, 'items').map((item) => valueAt(item, 'fields') ?? item)
}

/** An address has parts, and mostly the whole address in one of two fields. */
export function addressIn(fields: unknown, name: string) {
  const part = (field: string) => textIn(fields, name, field)
  const parts = {
    house_number: part('street_number'),
    street_name: part('street_name') ?? part('street'),
    zip_code: part('postal_code'),
    city: part('city'),
    province: part('state'),
    country: part('country'),
  }
  const { house_number, street_name, zip_code, city, province, country } = parts
  const written = joined([joined([house_number, street_name], ' '), zip_code, city, province, country])
  return { whole: textIn(fields, name) ?? part('complete') ?? part('value') ?? part('address') ?? written, parts }
}

function pathTo(path: readonly string[]): string[] {
  return path.flatMap((name, index) => (index === 0 ? [name] : ['fields', name]))
}
