import Type, { type Static } from '../../../base/schema/type.ts'
import { acceptFile } from '../inputs/accept-file.ts'
import { askForJson } from '../http/ask-provider.ts'
import { base64Of } from '../http/inline-file.ts'
import { jsonPayload } from '../http/payload.ts'
import { abandoned } from '../http/refusal.ts'
import { replyReader } from '../http/reply-reader.ts'
import { boxAt, extentOf } from '../results/box-of.ts'
import type { Task, Tools } from '../feature.ts'

// https://docs.clarifai.com/resources/api-overview/api-outputs. All its models accept an image and answer in one format: concepts
// of the whole image, and regions with a box and concepts of their own. A box is four distances from the upper left corner.
// An image that cannot be read has status 200 if others of the same request could be.

const ACCEPTED = { types: ['image/*'], megabytes: 20 }
const PROOF = { headers: { authorization: 'Key {secret}' } }
const OK = 10_000

const Status = Type.Object({ code: Type.Integer(), description: Type.Optional(Type.String()) })

const Concept = Type.Object({ name: Type.String(), value: Type.Number() })
const Concepts = Type.Optional(Type.Array(Concept))

const Region = Type.Object({
  region_info: Type.Object({
    bounding_box: Type.Object({
      top_row: Type.Optional(Type.Number()),
      left_col: Type.Optional(Type.Number()),
      bottom_row: Type.Optional(Type.Number()),
      right_col: Type.Optional(Type.Number()),
    }),
  }),
  value: Type.Optional(Type.Number()),
  data: Type.Optional(Type.Object({ concepts: Concepts })),
})

const readReply = replyReader(
  Type.Object({
    outputs: Type.Array(
      Type.Object({
        status: Status,
        data: Type.Optional(Type.Object({ concepts: Concepts, regions: Type.Optional(Type.Array(Region)) })),
      }),
      { minItems: 1 },
    ),
  }),
)

type ClarifaiRegion = Static<typeof Region>

/** What a public model of Clarifai finds in the task's file. */
export async function askClarifai(
  tools: Tools,
  task: Pick<Task<unknown>, 'files' | 'params'>,
  model: string,
): Promise<{ original: unknown; concepts: Static<typeof Concept>[]; regions: ClarifaiRegion[] }> {
  const base64 = await base64Of(acceptFile(task.files.file!, ACCEPTED))
  const payload = jsonPayload({ ...task.params, inputs: [{ data: { image: { base64 } } }] })
  const path = `/users/clarifai/apps/main/models/${model}/outputs`
  const original = await askForJson(tools, { service: 'vision', path, payload, proof: PROOF }, readReply)
  const { status, data } = original.outputs[0]!
  if (status.code !== OK) throw abandoned(tools, String(status.code), status.description)
  return { original, concepts: data?.concepts ?? [], regions: data?.regions ?? [] }
}

/** The most likely name of what is in the region, and how likely it is; undefined if it has no name. */
export function likeliestConcept({ data }: ClarifaiRegion): Static<typeof Concept> | undefined {
  return data?.concepts?.toSorted((one, other) => other.value - one.value)[0]
}

/** A side of a box that is zero has no member. */
export function extentOfRegion({ region_info: { bounding_box } }: ClarifaiRegion) {
  const { top_row = 0, left_col = 0, bottom_row = 0, right_col = 0 } = bounding_box
  return extentOf(boxAt(left_col, top_row, right_col - left_col, bottom_row - top_row))
}
