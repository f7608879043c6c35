import { acceptFile } from '../../calls/accept-file.ts'
import { askForBytes } from '../../calls/ask-provider.ts'
import { cutoutOf, pictureFormat } from '../../calls/cutout.ts'
import { formPayload } from '../../calls/payload.ts'
import { adapter } from '../../feature.ts'
import backgroundRemoval from './feature.ts'

// https://platform.stability.ai/docs/api-reference (Remove Background)

const PICTURES = { types: ['image/jpeg', 'image/png', 'image/webp'], megabytes: 10 }

const FORMATS = ['png', 'webp']
const PATH = '/v2beta/stable-image/edit/remove-background'

export default adapter(backgroundRemoval, async (task, tools) => {
  const format = pictureFormat(task.params.output_format, FORMATS)
  const fields = { ...task.params, output_format: format, image: undefined }
  const payload = await formPayload(fields, [{ field: 'image', file: acceptFile(task.files.file!, PICTURES) }])
  // Without this header it refuses.
  const question = { path: PATH, payload, headers: { accept: 'image/*' } }
  return await cutoutOf(await askForBytes(tools, question), format, tools)
})
