import Type, { type Static } from '../../../base/schema/type.ts'
import { mapOf } from '../../../base/schema/fields.ts'
import { acceptFile } from '../inputs/accept-file.ts'
import { askForJson } from '../http/ask-provider.ts'
import { formPayload } from '../http/payload.ts'
import { abandoned } from '../http/refusal.ts'
import { replyReader } from '../http/reply-reader.ts'
import { TaskFailure } from '../http/task-failure.ts'
import { boxAt } from '../results/box-of.ts'
import type { Task, Tools } from '../feature.ts'

// https://api4.ai/docs. All its services accept a form with an image and answer in one format. Errors of the image have status
// 200.

const IMAGE_TYPES = { types: ['image/*'], megabytes: 16 }
const DOCUMENTS = { types: ['image/*', 'application/pdf'], megabytes: 16 }

const Box = Type.Unsafe<[number, number, number, number]>(Type.Array(Type.Number(), { minItems: 4, maxItems: 4 }))
const Classes = mapOf(Type.Number())

const Part = Type.Object({
  kind: Type.String(),
  classes: Type.Optional(Classes),
  text: Type.Optional(Type.String()),
  namedpoints: Type.Optional(mapOf(Type.Array(Type.Number()))),
})

const Entity = Type.Object({
  kind: Type.String(),
  classes: Type.Optional(Classes),
  image: Type.Optional(Type.String()),
  format: Type.Optional(Type.String()),
  strings: Type.Optional(Type.Array(Type.String())),
  objects: Type.Optional(Type.Array(Type.Object({ box: Box, entities: Type.Array(Part) }))),
})

const readReply = replyReader(
  Type.Object({
    results: Type.Array(
      Type.Object({
        status: Type.Object({ code: Type.String(), message: Type.Optional(Type.String()) }),
        entities: Type.Optional(Type.Array(Entity)),
      }),
      { minItems: 1 },
    ),
  }),
)

type Api4aiEntity = Static<typeof Entity>
export type Api4aiObject = NonNullable<Api4aiEntity['objects']>[number]

/** The findings of a service in the task's file, over all pages of a document. */
export async function askApi4ai(tools: Tools, task: Pick<Task<unknown>, 'files' | 'params'>, service: string) {
  const file = acceptFile(task.files.file!, service.startsWith('ocr') ? DOCUMENTS : IMAGE_TYPES)
  const fields = { ...task.params, image: undefined, url: undefined, api_key: undefined }
  const payload = await formPayload(fields, [{ field: 'image', file }])
  const original = await askForJson(tools, { path: `/${service}/results`, payload }, readReply)
  const failed = original.results.find(({ status }) => status.code !== 'ok')
  if (failed) throw abandoned(tools, failed.status.code, failed.status.message)
  return { original, entities: original.results.flatMap(({ entities }) => entities ?? []) }
}

export function objectsOf(entities: readonly Api4aiEntity[]): Api4aiObject[] {
  return entities.flatMap(({ objects }) => objects ?? [])
}

/** The most likely class; undefined if there is none. */
export function likeliestClass({ entities }: Api4aiObject): [name: string, confidence: number] | undefined {
  const classes = entities.flatMap((entity) => Object.entries(entity.classes ?? {}))
  return classes.toSorted(([, one], [, other]) => other - one)[0]
}

/** A box is its upper left corner, its width and its height. */
export function boxIn({ box: [left, top, width, height] }: Api4aiObject) {
  return boxAt(left, top, width, height)
}

/** The image that a service returned. */
export function imageIn(entities: readonly Api4aiEntity[]): { base64: string; extension: string; bytes: Uint8Array } {
  const made = entities.find(({ image }) => image)
  const bytes = Buffer.from(made?.image ?? '', 'base64')
  if (bytes.length === 0) throw new TaskFailure('garbage', 'the answer of the provider contains no image')
  return { base64: bytes.toString('base64'), extension: made!.format?.toLowerCase() ?? 'png', bytes }
}
