import { pathSegment } from '../../../wire/path-segment.ts'
import Type from '../../../../base/schema/type.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { base64Of } from '../../http/inline-file.ts'
import { jsonPayload } from '../../http/payload.ts'
import { abandoned } from '../../http/refusal.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import backgroundRemoval from './feature.ts'

// https://docs.aws.amazon.com/nova/latest/userguide/image-gen-req-resp-structure.html

const ACCEPTED = { types: ['image/jpeg', 'image/png'], megabytes: 20 }

const readReply = replyReader(
  Type.Object({
    images: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    error: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  }),
)

export default adapter(backgroundRemoval, async (task, tools) => {
  const image = await base64Of(acceptFile(task.files.file!, ACCEPTED))
  const model = task.model ?? 'amazon.nova-canvas-v1:0'
  const fields = { ...task.params, taskType: 'BACKGROUND_REMOVAL', backgroundRemovalParams: { image } }
  const question = { path: `/model/${pathSegment(model)}/invoke`, payload: jsonPayload(fields) }
  const original = await askForJson(tools, question, readReply)
  const image_b64 = original.images?.[0]
  if (!image_b64) throw abandoned(tools, 'not_removed', original.error)
  const bytes = Buffer.from(image_b64, 'base64')
  const image_resource_url = await tools.keep({ name: 'image.png', type: 'image/png', bytes })
  return { output: { image_b64, image_resource_url }, original, units: measuredUnits(backgroundRemoval, task) }
})
