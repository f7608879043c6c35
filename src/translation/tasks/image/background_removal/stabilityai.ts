import { acceptFile } from '../../inputs/accept-file.ts'
import { askForBytes } from '../../http/ask-provider.ts'
import { cutoutOf, imageFormat } from '../../results/cutout.ts'
import { formPayload } from '../../http/payload.ts'
import { adapter } from '../../feature.ts'
import backgroundRemoval from './feature.ts'

// https://platform.stability.ai/docs/api-reference (Remove Background)

const ACCEPTED = { types: ['image/jpeg', 'image/png', 'image/webp'], megabytes: 10 }
const FORMATS = ['png', 'webp']
const PATH = '/v2beta/stable-image/edit/remove-background'

export default adapter(backgroundRemoval, async (task, tools) => {
  const format = imageFormat(task.params.output_format, FORMATS)
  const fields = { ...task.params, output_format: format, image: undefined }
  const payload = await formPayload(fields, [{ field: 'image', file: acceptFile(task.files.file!, ACCEPTED) }])
  // The request fails without this header.
  const question = { path: PATH, payload, headers: { accept: 'image/*' } }
  return await cutoutOf(await askForBytes(tools, question), format, tools)
})
